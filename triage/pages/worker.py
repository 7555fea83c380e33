"""The worker's panel: seen when, doing what, and what waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from triage.models import Run, Upload, WorkerHeartbeat
from triage.pages.words import Badge

ALIVE, LATE, AWAY = Badge("ok", "Alive", "live"), Badge("warn", "Late", "clock"), Badge("bad", "Away")


@dataclass(frozen=True, slots=True)
class WorkerPanel:
    """How the worker seen last is, by the database's clock."""

    badge: Badge
    #: Since it was seen; None: never.
    age_ms: float | None
    doing: str
    uploads_waiting: int
    runs_unfinished: int

    @property
    def title(self) -> str:
        """Return the words of the tag beside the page's heading."""
        return f"Worker {self.badge.words.lower()}"

    @property
    def is_alive(self) -> bool:
        """Say whether what waits will be taken up."""
        return self.badge is ALIVE

    @property
    def is_away(self) -> bool:
        """Say whether nobody is there to take it up."""
        return self.badge is AWAY


def worker_panel() -> WorkerPanel:
    """Return the panel for the worker seen last."""
    pulse = WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", Now(), "doing").first()
    age = pulse[1] - pulse[0] if pulse else None
    return WorkerPanel(
        badge=_badge(age),
        age_ms=max(age.total_seconds() * 1000, 0) if age is not None else None,
        doing=pulse[2] if pulse else "",
        uploads_waiting=Upload.objects.filter(state=Upload.State.WAITING).count(),
        runs_unfinished=Run.objects.unfinished().count(),
    )


def _badge(age: timedelta | None) -> Badge:
    if age is None or age >= timedelta(seconds=settings.WORKER_AWAY_S):
        return AWAY
    return ALIVE if age < timedelta(seconds=settings.WORKER_SLOW_S) else LATE
