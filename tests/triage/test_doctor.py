"""The examination of everything the product stands on, and what a load balancer is told."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from config.embedded import valkey
from tests.factories import make_run
from triage import doctor
from triage.doctor import State
from triage.models import Run, WorkerHeartbeat

pytestmark = pytest.mark.django_db


def told() -> dict[str, Any]:
    """Return what the command prints as JSON, whatever it exits with."""
    out = StringIO()
    try:
        call_command("doctor", json=True, stdout=out)
        code = 0
    except SystemExit as end:
        code = int(str(end.code))
    answer: dict[str, Any] = json.loads(out.getvalue())
    assert answer["ok"] is (code == 0)
    return answer


def state(name: str) -> State:
    """Return how one part is said to be."""
    return next(finding.state for finding in doctor.examine() if finding.name == name)


@pytest.fixture
def no_queue(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Point Celery at a port where nobody listens."""
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(current_app.conf, "broker_write_url", settings.REDIS_URL)


def test_all_is_well_but_for_the_worker_that_nobody_needs_yet() -> None:
    found = {finding["name"]: finding for finding in told()["findings"]}
    assert {name: finding["state"] for name, finding in found.items()} == {
        "database": "ok",
        "queue": "ok",
        "workers": "warning",
        "disk": "ok",
        "settings": "ok",
        "judges": "ok",
    }
    assert found["workers"]["remedy"]


def test_a_worker_seen_lately_is_well() -> None:
    WorkerHeartbeat.objects.create(name="worker@here", seen_at=Now())
    assert state("workers") is State.OK


def test_a_run_that_waits_without_a_worker_is_a_problem() -> None:
    make_run(state=Run.State.SCORING)
    assert state("workers") is State.PROBLEM
    assert told()["ok"] is False


@pytest.mark.usefixtures("no_queue")
def test_F08_a_queue_that_is_down_is_a_problem_and_the_web_is_ready_but_degraded(client: Client) -> None:
    assert state("queue") is State.PROBLEM
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "degraded", "database": "ok", "queue": "down"}


def test_F06_a_queue_that_forgets_is_a_problem(settings: Settings) -> None:
    from redis import Redis

    with Redis.from_url(valkey.redis_py_url(settings.VAR_DIR)) as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
        try:
            assert state("queue") is State.PROBLEM
        finally:
            redis.config_set("maxmemory-policy", "noeviction")


def test_a_full_disk_is_a_problem_and_a_filling_one_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, expected in ((10**8, State.PROBLEM), (10**9, State.WARNING), (10**11, State.OK)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder, free=free: shutil._ntuple_diskusage(0, 0, free))
        assert state("disk") is expected


def test_a_database_that_is_down_is_a_problem_and_the_web_is_not_ready(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def _down() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "cursor", _down)
    assert state("database") is State.PROBLEM
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "down", "database": "down", "queue": "ok"}
    assert client.get("/healthz").status_code == 200, "a lost database does not restart the web"


def test_a_judge_that_cannot_read_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def _fails(*_: object) -> None:
        raise RuntimeError("the model file is cut")

    monkeypatch.setattr("triage.ground.Checker.check", _fails)
    judges = next(finding for finding in told()["findings"] if finding["name"] == "judges")
    assert judges["state"] == "problem"
    assert "the model file is cut" in judges["detail"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_SEC11_health_tells_no_version_and_no_count_and_is_never_kept(client: Client, path: str) -> None:
    answer = client.get(path)
    assert not any(digit in answer.content.decode() for digit in "0123456789")
    assert "no-store" in answer.headers["Cache-Control"]
    assert client.post(path).status_code == 405


def test_a_person_reads_one_line_a_part(tmp_path: Path) -> None:
    out = StringIO()
    call_command("doctor", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("ok      database  PostgreSQL 18, embedded")
    assert sum(not line.startswith(" ") for line in lines) == 6
