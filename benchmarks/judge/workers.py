"""Measure how long two workers take from an imported run to its classes, with nothing in the cache and with everything.

Run from the root of the repository: `python -m benchmarks.judge.workers [FILE ...]`; default the runs `clapnq_arm_k20`
and `factcheck_gpt` of the folder of real data (RAG_TRIAGE_SHARED, default ../shared). Each file is imported twice, the
second time under another name: every score of the first is in the cache by then. Two Celery worker processes of one
thread each work on a database of their own with durability on; the clock runs from the message to the run's last
class. How long the workers took to start is told apart. Targets on two idle cores: 90 s cold, 3 s warm.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests import throwaway

if TYPE_CHECKING:
    from triage.models import Project

ROOT = Path(__file__).resolve().parents[2]
WORKERS = 2
RUNS = ("clapnq_arm_k20.jsonl.gz", "factcheck_gpt.jsonl")


@contextmanager
def workers(log: Path) -> Iterator[float]:
    """Run the workers; give the seconds until both answered."""
    from config.celery import app

    began = time.perf_counter()
    words = ["-A", "config", "worker", "--pool", "prefork", "--concurrency", "1", "--loglevel", "WARNING"]
    with log.open("wb") as said:
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "celery", *words, "-n", f"{number}@%h"], cwd=ROOT, stdout=said, stderr=said
            )
            for number in range(WORKERS)
        ]
        try:
            while len(app.control.ping(timeout=0.5)) < WORKERS:
                assert all(process.poll() is None for process in started), log.read_text()
            yield time.perf_counter() - began
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait(timeout=60)


def read(file: Path) -> bytes:
    """Return the file's lines, unpacked."""
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def again(lines: bytes) -> bytes:
    """Return the same run under another name."""
    first, _, rest = lines.partition(b"\n")
    head = json.loads(first)
    assert head.get("kind") == "run", "the file begins with its run record"
    return json.dumps(head | {"name": f"{head['name']} again"}).encode() + b"\n" + rest


def imported(project: Project, lines: bytes) -> int:
    """Import the run without telling a worker; return its id."""
    from triage import intake
    from triage.ingest import ingest

    run = ingest(intake.store(project, None, "run.jsonl", [lines]).pk).run
    assert run is not None
    return run.pk


def took(run_id: int) -> float:
    """Have the run scored and classified by the workers; return the seconds that took."""
    from triage.models import Run
    from triage.tasks import advance_soon

    began = time.perf_counter()
    advance_soon(run_id)
    while (state := Run.objects.values_list("state", flat=True).get(pk=run_id)) != Run.State.DONE:
        assert state not in {Run.State.FAILED, Run.State.CANCELLED}, state
        time.sleep(0.02)
    return time.perf_counter() - began


def main(var: Path, files: list[Path]) -> None:
    """Print one row for each file."""
    from django.core.management import call_command

    from tests.factories import make_project
    from triage.models import Run, Score

    call_command("migrate", verbosity=0)
    with workers(var / "workers.log") as start:
        print(f"{WORKERS} workers answered after {start:.1f} s\n")
        print("| run | queries | claims and chunks scored | cold, s | warm, s |\n|---|---|---|---|---|")
        for file in files:
            lines, project = read(file), make_project(judge_order=[])
            cold_run, warm_run = imported(project, lines), imported(project, again(lines))
            cold, warm = took(cold_run), took(warm_run)
            run = Run.objects.get(pk=cold_run)
            pairs = Score.objects.filter(query__run=run, chunk__isnull=False, value__isnull=False).count()
            print(f"| {run.name} | {run.queries.count():,} | {pairs:,} | {cold:.1f} | {warm:.1f} |", flush=True)


if __name__ == "__main__":
    shared = Path(os.environ.get("RAG_TRIAGE_SHARED", ROOT.parent / "shared")) / "data" / "runs"
    var = throwaway.start(durable=True)
    try:
        django.setup()
        main(var, [Path(name) for name in sys.argv[1:]] or [shared / name for name in RUNS])
    finally:
        throwaway.stop(var)
