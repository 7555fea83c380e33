"""Verb: how the product is, for Prometheus. Everything is read from the database and the queue at the scrape.

No process keeps a number, so that any web process gives the same answer and a restart forgets nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Min
from django.db.models.functions import Now
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from labeling.models import Verdict
from triage import doctor
from triage.models import Run, Scoring, Upload, WorkerHeartbeat

HOUR = timedelta(hours=1)


class Gauges:
    """What a scrape collects."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield every gauge; what cannot be known now (the queue is down) is left out, never zero."""
        waiting = doctor.queue_length()
        up = GaugeMetricFamily("rag_triage_up", "1 = the part answers.", labels=["part"])
        up.add_metric(["database"], 1)
        up.add_metric(["queue"], 0 if waiting is None else 1)
        yield up
        if waiting is not None:
            yield _one("queue_messages", "Messages that wait for a worker.", waiting)
        yield _states("runs", "Runs by state.", Run)
        yield _states("uploads", "Files that came, by state.", Upload)
        yield _one("run_oldest_unfinished_seconds", "Age of the oldest run that is not finished; 0 = none.", _age(Run))
        yield _one("upload_oldest_unfinished_seconds", "Age of the oldest file not read; 0 = none.", _age(Upload))
        yield _one("queries_set_aside", "Queries that no judge could finish.", _set_aside())
        yield from _workers()
        recent = Verdict.objects.filter(created_at__gte=Now() - HOUR, reviewer__isnull=False)
        yield _one("verdicts_last_hour", "Verdicts people saved within an hour.", recent.count())
        yield _one("disk_free_bytes", "Room where uploads are stored.", shutil.disk_usage(settings.VAR_DIR).free)


def exposition() -> bytes:
    """Return the gauges in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(Gauges())
    return generate_latest(registry)


def _one(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"rag_triage_{name}", words, value=value)


def _states(name: str, words: str, model: type[Run] | type[Upload]) -> GaugeMetricFamily:
    """Count rows by state, states without rows included."""
    counts = dict(model._default_manager.order_by().values_list("state").annotate(Count("pk")))
    family = GaugeMetricFamily(f"rag_triage_{name}", words, labels=["state"])
    for state in model.State:
        family.add_metric([state.value], counts.get(state.value, 0))
    return family


def _age(model: type[Run] | type[Upload]) -> float:
    age = model.objects.unfinished().order_by().aggregate(age=Now() - Min("created_at"))["age"]
    return float(age.total_seconds()) if age else 0.0


def _set_aside() -> int:
    return Scoring.objects.exclude(quarantined="").count()


def _workers() -> Iterator[GaugeMetricFamily]:
    alive = Now() - timedelta(seconds=settings.WORKER_AWAY_S)
    seen = WorkerHeartbeat.objects.filter(seen_at__gte=alive).count()
    yield _one("workers_seen", f"Workers seen within {settings.WORKER_AWAY_S} s.", seen)
