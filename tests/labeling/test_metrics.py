"""The page for Prometheus: behind its key, read at the scrape, nothing kept in a process."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings as live
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from labeling.gauges import exposition
from tests.factories import make_member, make_project, make_query, make_run
from tests.labeling.rows import say
from triage import doctor
from triage.models import Run, Scoring

pytestmark = pytest.mark.django_db
KEY = "k" * 40


def read(text: bytes) -> dict[str, float]:
    """Return the samples by name and labels."""
    return {
        "/".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_SEC11_there_is_no_such_page_without_the_key(client: Client, settings: Settings) -> None:
    assert client.get("/metrics").status_code == 404
    settings.METRICS_KEY = KEY
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    assert client.get(f"/metrics?key={KEY}").status_code == 404
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert read(answer.content)["rag_triage_up/database"] == 1


def test_the_gauges_are_those_of_the_rows() -> None:
    before = read(exposition())
    assert before["rag_triage_run_oldest_unfinished_seconds"] == 0
    project = make_project()
    run = make_run(project, state=Run.State.SCORING)
    query = make_query(run)
    Scoring.objects.create(query=query, panel="p", quarantined="out of memory")
    say(query, "still_wrong", imported_reviewer="", reviewer=make_member(project))
    say(query, "still_wrong", imported_reviewer="ann", stage="imported")
    now = read(exposition())
    assert now["rag_triage_runs/scoring"] == before["rag_triage_runs/scoring"] + 1
    assert now["rag_triage_queries_set_aside"] == before["rag_triage_queries_set_aside"] + 1
    assert now["rag_triage_verdicts_last_hour"] == before["rag_triage_verdicts_last_hour"] + 1
    assert now["rag_triage_run_oldest_unfinished_seconds"] >= 0
    assert now["rag_triage_queue_messages"] >= 0


def test_a_queue_that_is_down_is_told_and_never_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "queue_length", lambda: None)
    now = read(exposition())
    assert now["rag_triage_up/queue"] == 0
    assert "rag_triage_queue_messages" not in now


def test_the_number_of_sql_queries_does_not_grow_with_the_rows() -> None:
    counts = []
    for _ in range(2):
        make_query(make_run())
        with CaptureQueriesContext(connection) as captured:
            exposition()
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_every_gauge_is_in_the_runbook() -> None:
    runbook = (Path(live.BASE_DIR) / "docs" / "runbook.md").read_text(encoding="utf-8")
    names = {name.split("/")[0] for name in read(exposition())}
    assert sorted(name for name in names if f"`{name}`" not in runbook) == []
