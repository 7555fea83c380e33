"""Measure how import, classification, pages and export grow with the queries of a run, and reckon ten million.

Run from the root of the repository: `python -m benchmarks.growth [--write] [QUERIES ...]`; default 1,000, 10,000 and
100,000. Prints the page docs/growth.md; with `--write` puts it there, and its picture beside it. Every figure is of
processor time, this process and its database session together. Each size is measured with the smaller ones beside it
in the same database, as a project has them. Import is of 8 chunks of 128 tokens and 4 claims a query,
out of a corpus of 2 chunks a query; everything else
is measured on two runs of 4 chunks, 2 claims and 5 scores a query.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import django

from benchmarks import machine
from benchmarks.growth_picture import picture
from tests import throwaway

if TYPE_CHECKING:
    from triage.models import Run

DOCS = Path(__file__).resolve().parent.parent / "docs"
SIZES = (1_000, 10_000, 100_000)
TARGET = 10_000_000
TIMES = 5
#: Chunks of the corpus a query: a larger run reads more documents.
CORPUS = 2
PAGES = ("list", "list, late", "failing", "a slice", "a rare word", "run", "report", "compare")
SIZE_OF_TABLES = """
SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
WHERE relkind = 'r' AND relname = ANY(%s)
"""
IMPORTED = ("query", "retrieved", "claim", "citation", "chunk", "runchunk")
DERIVED = ("score", "scoring", "querymetrics", "suggestion")


@dataclass(slots=True)
class Measured:
    """What was found: name -> queries -> milliseconds of processor time, and table -> (bytes, index bytes) a query."""

    took: dict[str, dict[int, float]] = field(default_factory=dict)
    stored: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, name: str, queries: int, ms: float) -> None:
        """Keep one figure, and say it."""
        self.took.setdefault(name, {})[queries] = ms
        print(f"{name}, {queries:,} queries: {ms:,.0f} ms", file=sys.stderr, flush=True)


def exponent(by_size: dict[int, float]) -> float:
    """Return by which power of the queries it grows between the two largest sizes; 0 = not at all, 1 = linear."""
    small, large = sorted(by_size)[-2:]
    return max(0.0, math.log(by_size[large] / by_size[small]) / math.log(large / small))


def reckoned(by_size: dict[int, float], queries: int) -> float:
    """Return the milliseconds it would take if it went on growing as between the two largest sizes."""
    largest = max(by_size)
    return by_size[largest] * (queries / largest) ** exponent(by_size)


def processor_ms(work: Callable[[], object]) -> float:
    """Do it; return the processor time of this process and its database session in ms."""
    from benchmarks.pages import backend_ms

    before = time.process_time() * 1000 + backend_ms()
    work()
    return time.process_time() * 1000 + backend_ms() - before


def table_sizes(names: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Return table -> (bytes of its rows, bytes of its indexes)."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(SIZE_OF_TABLES, [[f"triage_{name}" for name in names]])
        return {name.removeprefix("triage_"): (rows, indexes) for name, rows, indexes in cursor.fetchall()}


def stored(found: Measured, names: tuple[str, ...], queries: int, work: Callable[[], object]) -> None:
    """Do it; keep by how many bytes a query each table and its indexes grew."""
    before = table_sizes(names)
    work()
    for name, (rows, indexes) in table_sizes(names).items():
        found.stored[name] = ((rows - before[name][0]) / queries, (indexes - before[name][1]) / queries)


def measure(found: Measured, queries: int) -> None:
    """Measure everything at one size."""
    from django.db import connection

    from benchmarks.large_rows import make_large_run
    from triage.classify import classify

    stored(found, IMPORTED, queries, lambda: found.add("import", queries, imported(queries)))
    runs: list[Run] = []

    def make() -> None:
        runs.extend(make_large_run(queries, release) for release in ("before", "now"))
        found.add("classify", queries, max(processor_ms(lambda pk=run.pk: classify(pk)) for run in runs))  # type: ignore[misc]

    stored(found, DERIVED, 2 * queries, make)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SET max_parallel_workers_per_gather = 0")
    before, run = runs
    run.refresh_from_db()
    read(found, run, before)


def imported(queries: int) -> float:
    """Import a file of this many queries; return what it took."""
    from benchmarks.ingest import SLOTS, lines
    from triage import intake
    from triage.ingest import ingest
    from triage.invite import default_project

    upload = intake.store(default_project(), None, f"{queries}.jsonl", lines(queries, max(CORPUS * queries, SLOTS)))
    took = processor_ms(lambda: ingest(upload.pk))
    upload.refresh_from_db()
    if upload.run_id is None:
        raise SystemExit(f"the import failed: {upload.reason}")
    return took


def read(found: Measured, run: Run, before: Run) -> None:
    """Ask for each page some times, then write all verdicts out."""
    from benchmarks.large import addresses, give_verdicts
    from benchmarks.pages import owner, timed
    from labeling.export import verdicts_file

    client, all_pages = owner(run.project), addresses(run, before)
    queries = run.counts["queries"]
    for name in PAGES:
        found.add(name, queries, timed(client, name, all_pages[name], TIMES).cpu)
    give_verdicts(run)
    found.add("export of verdicts", queries, processor_ms(lambda: sum(map(len, verdicts_file(run, "jsonl")))))


def page(found: Measured) -> str:
    """Return docs/growth.md: the table under its picture, and what ten million queries come to by it."""
    sizes = sorted(next(iter(found.took.values())))
    head = " | ".join(f"{size:,}" for size in sizes)
    rows = [
        f"| {name} | {' | '.join(f'{ms[size]:,.0f}' for size in sizes)} | {exponent(ms):.2f} |"
        for name, ms in found.took.items()
    ]
    return "\n".join(
        [
            "# Growth",
            "",
            "Written by `python -m benchmarks.growth --write`; not edited by hand. "
            "Processor time in ms, of the process and its database",
            f"session together, on {machine.told()} at the end.",
            "Power: 0 = does not grow, 1 = linear, between the two largest sizes.",
            "",
            "![Processor time by queries of a run, both axes logarithmic; the table below has the numbers](growth.svg)",
            "",
            f"| queries | {head} | power |",
            f"|---|{'---|' * (len(sizes) + 1)}",
            *rows,
            "",
            *ten_million(found),
            "",
        ]
    )


def ten_million(found: Measured) -> list[str]:
    """Return the calculation for `TARGET` queries in one run, from what was measured."""
    rows, indexes = (sum(table[place] for table in found.stored.values()) for place in (0, 1))
    lines = [
        f"## Reckoned to {TARGET:,} queries",
        "",
        "Not measured: the figures of the largest size above, carried on by their power. It says where to look, no",
        "more; what no longer fits into the memory of the database is slower than this.",
        "",
        "| table | bytes a query | indexes, bytes a query | together, GB |",
        "|---|---|---|---|",
    ]
    for name, (own, index) in sorted(found.stored.items()):
        lines.append(f"| {name} | {own:,.0f} | {index:,.0f} | {(own + index) * TARGET / 1e9:,.1f} |")
    lines += [f"| all | {rows:,.0f} | {indexes:,.0f} | {(rows + indexes) * TARGET / 1e9:,.1f} |", ""]
    lines += ["| | processor time |", "|---|---|"]
    for name, took in found.took.items():
        lines.append(f"| {name} | {spelled(reckoned(took, TARGET))} |")
    return lines


def spelled(ms: float) -> str:
    """Return a time in the unit a person would say it in."""
    for unit, size in (("hours", 3_600_000), ("minutes", 60_000), ("s", 1_000)):
        if ms >= 2 * size:
            return f"{ms / size:,.1f} {unit}"
    return f"{ms:,.0f} ms"


def main(arguments: list[str]) -> None:
    """Measure, print the page, write it where asked to."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    sizes = tuple(int(size) for size in arguments if size.isdigit()) or SIZES
    if len(sizes) < 2:
        raise SystemExit("growth needs two sizes at least, say: python -m benchmarks.growth 1000 10000")
    found = Measured()
    for size in sorted(sizes):
        measure(found, size)
    text = page(found)
    print(text)
    if "--write" in arguments:
        (DOCS / "growth.md").write_text(text)
        (DOCS / "growth.svg").write_text(picture({name: sorted(ms.items()) for name, ms in found.took.items()}))


if __name__ == "__main__":
    var = throwaway.start()
    try:
        django.setup()
        main(sys.argv[1:])
    finally:
        throwaway.stop(var)
