"""F-03: the process is killed before every commit of an import and of scoring; the next one ends in the same rows.

A process of its own (tests/faults/dying.py) does the work and kills itself before its n-th commit, for every n until it
gets through; then the work is taken up again as a sweep would. Every history ends as the one that nothing disturbed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from pytest_django import Settings

from config.embedded import valkey
from tests.factories import make_project
from tests.faults.dying import LEASE_S
from triage import intake
from triage.ingest import ingest
from triage.models import Chunk, Claim, Query, Retrieved, Run, Score, Scoring, Suggestion, Upload
from triage.score import attempts
from triage.tasks import leases
from triage.tasks.inprocess import run_to_end

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[2]
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
    monkeypatch.setattr(leases, "LEASE_S", LEASE_S)
    monkeypatch.setattr(attempts, "LEASE_S", LEASE_S)


class Mortal:
    """A process that does the work and is killed before a given commit (tests/faults/dying.py)."""

    def __init__(self, uploads: Path) -> None:
        database = connection.settings_dict
        environment = {
            **os.environ,
            "DATABASE_URL": f"postgresql://postgres@/{database['NAME']}?host={quote(str(database['HOST']))}"
            "&application_name=mortal",
            "REDIS_URL": valkey.celery_url(Path(os.environ["RAG_TRIAGE_VAR"])),
        }
        command = [sys.executable, "-m", "tests.faults.dying", str(uploads)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True)

    def dies(self, work: str, pk: int, commit: int) -> bool:
        """Do the work, killed before its commit of this number; return whether it was, and not done before that."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"work": work, "pk": pk, "commit": commit}) + "\n")
        self.process.stdin.flush()
        end = json.loads(self.process.stdout.readline())
        assert not end["failed"], f"the work failed by itself, before commit {commit}: {end['failed']}"
        assert end["code"] in {0, -signal.SIGKILL}, f"the work ended with {end['code']}, before commit {commit}"
        self._is_buried()
        return bool(end["code"])

    def _is_buried(self) -> None:
        """Wait until the database has noticed: until then the dead hold their locks, and the next one rightly waits."""
        for _ in range(600):
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mortal'")
                if cursor.fetchone() == (0,):
                    return
            time.sleep(0.05)
        raise AssertionError("the database still serves a process that was killed")

    def end(self) -> None:
        """Let it go."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


@pytest.fixture
def mortal(transactional_db: None, tmp_path: Path) -> Iterator[Mortal]:
    """It ends before the rows are wiped."""
    process = Mortal(tmp_path / "uploads")
    yield process
    process.end()


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


def test_F03_an_import_killed_before_every_commit_ends_as_if_nothing_had_been(
    undisturbed: dict[str, object], mortal: Mortal
) -> None:
    for commit in range(1, MOST):
        upload = waiting()
        killed = mortal.dies("ingest", upload.pk, commit)
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


def test_F03_scoring_killed_before_every_commit_ends_as_if_nothing_had_been(
    undisturbed: dict[str, object], mortal: Mortal
) -> None:
    for commit in range(1, MOST):
        run = imported()
        killed = mortal.dies("run_to_end", run.pk, commit)
        assert end_state(run_to_end(run.pk)) == undisturbed, f"killed before commit {commit}"
        if not killed:
            break
    assert not killed
    assert commit >= 8, "the failpoint sees the commits"
    assert connection.is_usable()
