"""F-03: the process is killed before every commit of an import and of scoring; the next one ends in the same rows.

A fork of this test does the work and kills itself before its n-th commit, for every n until it gets through; then
the work is taken up again as a sweep would. Every history ends as the one that nothing disturbed.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from pytest_django import Settings

from tests.factories import make_project
from triage import intake
from triage.ingest import ingest
from triage.models import Chunk, Claim, Query, Retrieved, Run, Score, Scoring, Suggestion, Upload
from triage.score import attempts
from triage.tasks import leases
from triage.tasks.inprocess import run_to_end

pytestmark = [
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]

#: More than any history here has: a test that never gets through would be wrong, not long.
MOST = 200
LINES = [
    {"kind": "run", "name": "release 7", "config": {"k": 2}},
    {"kind": "chunk", "id": "a", "text": "Refunds take 14 days. Shipping is free."},
    {"kind": "chunk", "id": "b", "text": "Lamps are red and made of brass."},
    *(
        {
            "id": f"q{number}",
            "question": f"How long do refunds take, {number}?",
            "answer": "Refunds take 14 days. They are paid in gold.",
            "retrieved": ["a", "b"],
            "gold": ["a"],
            "correct": number == 3,
        }
        for number in (1, 2, 3)
    ),
]
FILE = "".join(json.dumps(line) + "\n" for line in LINES).encode()


@pytest.fixture(autouse=True)
def _small(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One query a batch, and leases of a lost worker that run out at once."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.SCORE_BATCH_QUERIES = settings.CLASSIFY_BATCH_QUERIES = settings.INGEST_BATCH_QUERIES = 1
    monkeypatch.setattr(leases, "LEASE_S", 0)
    monkeypatch.setattr(attempts, "LEASE_S", 0)


def dies_before(commit: int, work: Callable[[], object]) -> bool:
    """Do the work in a fork that is killed before its commit of this number; return whether it was."""
    connections.close_all()
    if (child := os.fork()) == 0:
        _work_and_die(commit, work)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "the work failed by itself"
    return False


def _work_and_die(commit: int, work: Callable[[], object]) -> None:
    """In the fork: count the transactions and the single statements outside one, both commits of the database."""
    seen = 0

    def commits() -> None:
        nonlocal seen
        seen += 1
        if seen == commit:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        if not context["connection"].in_atomic_block and not str(sql).lstrip().upper().startswith("SELECT"):
            commits()
        return execute(sql, params, many, context)

    commit_of = DatabaseWrapper._commit

    def committed(self: Any) -> None:
        commits()
        commit_of(self)

    try:
        DatabaseWrapper._commit = committed  # type: ignore[method-assign]
        with connections[DEFAULT_DB_ALIAS].execute_wrapper(counted):
            work()
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a fork must never go on as a second test run
        os._exit(1)


def end_state(run: Run) -> dict[str, object]:
    """Return all that may not depend on what happened on the way."""
    run.refresh_from_db()
    queries = Query.objects.filter(run=run)
    words = Suggestion.objects.filter(query__run=run, is_current=True)
    scores = Score.objects.filter(query__run=run)
    return {
        "state": run.state,
        "counts": run.counts,
        "summary": run.summary,
        "queries": list(queries.order_by("position").values_list("position", "key", "question", "correct")),
        "chunks": sorted(Chunk.objects.filter(run_chunks__run=run).values_list("key", "text")),
        "slots": sorted(Retrieved.objects.filter(query__run=run).values_list("query__key", "rank", "chunk__key")),
        "claims": sorted(Claim.objects.filter(query__run=run, is_current=True).values_list("query__key", "text")),
        "scores": sorted(
            scores.values_list("query__key", "claim__text", "chunk__key", "judge__name", "value"), key=repr
        ),
        "labels": sorted(words.values_list("query__key", "label", "test", "value")),
        "scored": Scoring.objects.filter(query__run=run, done_at__isnull=False, quarantined="").count(),
        "held": Scoring.objects.filter(query__run=run, done_at=None).count(),
    }


def waiting() -> Upload:
    return intake.store(make_project(judge_order=["lexical"]), None, "run.jsonl", [FILE])


def imported() -> Run:
    run = ingest(waiting().pk).run
    assert run is not None
    return run


@pytest.fixture
def undisturbed() -> dict[str, object]:
    return end_state(run_to_end(imported().pk))


def test_F03_an_import_killed_before_every_commit_ends_as_if_nothing_had_been(undisturbed: dict[str, object]) -> None:
    for commit in range(1, MOST):
        upload = waiting()
        killed = dies_before(commit, lambda pk=upload.pk: ingest(pk))  # type: ignore[misc]
        Upload.objects.filter(pk=upload.pk, state=Upload.State.READING).update(heartbeat_at=None, state="waiting")
        read = ingest(upload.pk)
        assert read.state == Upload.State.DONE, (commit, read.reason)
        assert Run.objects.filter(project=read.project).count() == 1
        assert read.run is not None
        assert end_state(run_to_end(read.run.pk)) == undisturbed, f"killed before commit {commit}"
        if not killed:
            break
    assert not killed
    assert commit >= 4, "the failpoint sees the commits"


def test_F03_scoring_killed_before_every_commit_ends_as_if_nothing_had_been(undisturbed: dict[str, object]) -> None:
    for commit in range(1, MOST):
        run = imported()
        killed = dies_before(commit, lambda pk=run.pk: run_to_end(pk))  # type: ignore[misc]
        assert end_state(run_to_end(run.pk)) == undisturbed, f"killed before commit {commit}"
        if not killed:
            break
    assert not killed
    assert commit >= 8, "the failpoint sees the commits"
    assert connection.is_usable()
