"""Measure lists, runs, comparison, classification and export at size: two runs of 100,000 queries, scored and filed.

Run from the root of the repository: `python -m benchmarks.large [QUERIES ...]`. Default: 1,000, 10,000 and 100,000.
Every figure is of processor time, this process and its database session together, because others may be busy on the
machine; the server is told not to spread a statement over several processes, which would hide from it.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import django

from benchmarks.ingest import peak_mb
from benchmarks.pages import backend_ms, owner, timed
from tests import throwaway

if TYPE_CHECKING:
    from triage.models import Run

TIMES = 20


def addresses(run: Run, before: Run) -> dict[str, str]:
    """Return page -> address."""
    queries = f"/runs/{run.key}/queries/"
    return {
        "list": queries,
        "list, late": f"{queries}?after={run.counts['queries'] - 100}",
        "list, backwards from late": f"{queries}?before={run.counts['queries'] - 100}",
        "failing": f"{queries}?outcome=failing",
        "a class": f"{queries}?label=still_wrong",
        "near a threshold (none)": f"{queries}?near=1",
        "a flag (none)": f"{queries}?flag=duplicate_chunk",
        "a slice": f"{queries}?slice_key=topic&slice_value=billing",
        "a common word": f"{queries}?text=sentence",
        "a rare word": f"{queries}?text=word7",
        "a rare word, failing": f"{queries}?text=word7&outcome=failing",
        "no such word": f"{queries}?text=nowhere",
        "an id": f"{queries}?text=q{run.counts['queries'] - 7}",
        "run": f"/runs/{run.key}/",
        "report": f"/runs/{run.key}/report/",
        "compare": f"/p/{run.project.slug}/compare/?run={before.key}&run={run.key}",
        "due": f"/p/{run.project.slug}/due/",
        "judges": f"/p/{run.project.slug}/judges/",
    }


def pages(run: Run, before: Run, times: int = TIMES) -> None:
    """Print one row a page."""
    client = owner(run.project)
    size = f"{run.counts['queries']:,}"
    for name, address in addresses(run, before).items():
        one = timed(client, name, address, times)
        cells = (one.statements, f"{one.cpu_p95:.0f}", f"{one.cpu:.0f}", f"{one.median:.0f}")
        print(f"| {name} | {size} | {' | '.join(map(str, cells))} |", flush=True)


VERDICTS = """
INSERT INTO labeling_verdict (query_id, imported_reviewer, label, sub_cause, note, stage, blind, drawn, is_current,
    withdrawn, codebook_version, gold_version, policy_fingerprint, suggested, conflicts, idempotency_key, created_at)
SELECT id, 'ann', 'still_wrong', '', 'A note of some words about it.', 'imported', true, 'random', true, false, 1, 1,
    'feedbeef', 'still_wrong', false, gen_random_uuid(), clock_timestamp()
FROM triage_query WHERE run_id = %(run)s
"""


def give_verdicts(run: Run) -> None:
    """Give every query of the run a verdict."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(VERDICTS, {"run": run.pk})


def export(run: Run) -> None:
    """Give every query a verdict, write all out once a format; print rows a second and the memory it took."""
    from labeling.export import VERDICT_FORMATS, verdicts_file

    give_verdicts(run)
    rows = run.counts["queries"]
    for to in VERDICT_FORMATS:
        before, spent = peak_mb(), time.process_time() * 1000 + backend_ms()
        size = sum(map(len, verdicts_file(run, to)))
        seconds = (time.process_time() * 1000 + backend_ms() - spent) / 1000
        grown = peak_mb() - before
        print(
            f"| export, {to} | {rows:,} | {rows / seconds:,.0f} rows/s | {size / 1e6:.0f} MB | {grown:+.0f} MB |",
            flush=True,
        )


def main(sizes: list[int]) -> None:
    """Build, measure and print."""
    from django.core.management import call_command
    from django.db import connection

    from benchmarks.large_rows import make_large_run
    from triage.classify import classify

    call_command("migrate", verbosity=0)
    print("| page | queries | statements | p95 processor ms | mean | p50 waited ms |\n|---|---|---|---|---|---|")
    for size in sizes:
        before, run = (make_large_run(size, release) for release in ("before", "now"))
        for each in (before, run):
            spent = time.process_time() * 1000 + backend_ms()
            classify(each.pk)
            seconds = (time.process_time() * 1000 + backend_ms() - spent) / 1000
            print(
                f"| classify | {size:,} | | {seconds * 1000:,.0f} in all | {size / seconds:,.0f} queries/s | |",
                flush=True,
            )
            each.refresh_from_db()
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")
        pages(run, before)
        export(run)


if __name__ == "__main__":
    var = throwaway.start()
    try:
        django.setup()
        main([int(size) for size in sys.argv[1:]] or [1_000, 10_000, 100_000])
    finally:
        throwaway.stop(var)
