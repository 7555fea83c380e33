"""Measure the import: queries a second and peak memory, end to end, in a database of its own.

Run from the root of the repository: `python -m benchmarks.ingest [QUERIES] [CHUNKS]`. Default: 10,000 queries of 8
chunks of 128 tokens out of a corpus of 20,000 (87 MB). The target on two idle cores is 3,000 queries a second, within
3 times of a bare COPY of the same rows into tables without indexes, keys or triggers; memory must not grow with the
file. Processor time of this process and of its database session is printed beside the waiting time: it says the same
on a busy machine, and the longer of the two is what an import takes on two idle cores.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import django

from benchmarks.pages import backend_ms
from tests import throwaway

WORDS = [f"word{number}" for number in range(4_000)]
CORPUS, SLOTS, TOKENS = 20_000, 8, 128
#: Tables an import writes, each row of each once.
TABLES = tuple(f"triage_{name}" for name in ("chunk", "runchunk", "query", "retrieved", "claim", "citation"))

#: The columns of a table that are written: not those the database makes itself.
WRITTEN = """
SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""


def sentences(dice: random.Random, count: int) -> str:
    """Return text of about this many tokens."""
    return " ".join(dice.choices(WORDS, k=count))


def lines(queries: int, corpus: int) -> Iterator[bytes]:
    """Yield a run file, inline chunk texts as most systems write them."""
    dice = random.Random(7)
    texts = [sentences(dice, TOKENS) for _ in range(corpus)]
    yield json.dumps({"kind": "run", "name": "benchmark", "config": {"k": SLOTS}}).encode() + b"\n"
    for number in range(queries):
        chosen = dice.sample(range(corpus), SLOTS)
        slots = [{"id": f"chunk-{key}", "text": texts[key], "score": 1 - rank / 10} for rank, key in enumerate(chosen)]
        claims = [{"text": sentences(dice, 12), "cites": [f"chunk-{chosen[0]}"]} for _ in range(4)]
        query = {
            "id": f"q{number}",
            "question": sentences(dice, 14),
            "answer": sentences(dice, 60),
            "reference": sentences(dice, 40),
            "retrieved": slots,
            "gold": [f"chunk-{chosen[2]}"],
            "correct": dice.random() < 0.6,
            "claims": claims,
            "slice": {"topic": dice.choice(["billing", "login", "export"])},
            "latency_ms": dice.random() * 1000,
        }
        yield json.dumps(query).encode() + b"\n"


def peak_mb() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@dataclass(frozen=True, slots=True)
class Spent:
    """What a piece of work took, in seconds: on the clock, and of the processor here and in the database session."""

    clock: float
    here: float
    session: float

    def of(self, queries: int) -> str:
        """Return it in words, with the rate that two idle cores can reach at most."""
        busiest = max(self.here, self.session)
        return (
            f"{self.clock:.2f} s; processor {self.here:.2f} s here, {self.session:.2f} s in the database session: "
            f"at most {queries / busiest:,.0f} queries/s on two idle cores, "
            f"{queries / (self.here + self.session):,.0f} on one"
        )


def spent(work: Callable[[], object]) -> Spent:
    """Do it and say what it took."""
    session, here, clock = backend_ms(), time.process_time(), time.perf_counter()
    work()
    clock, here = time.perf_counter() - clock, time.process_time() - here
    return Spent(clock, here, (backend_ms() - session) / 1000)


def bare_copy() -> Spent:
    """Write the rows of all runs once more by COPY, as the very bytes they are, into tables that check nothing."""
    from django.db import connection

    texts = {}
    with connection.cursor() as cursor:
        for table in TABLES:
            with cursor.copy(f"COPY {table} TO STDOUT") as stream:
                texts[table] = b"".join(stream)
            cursor.execute(WRITTEN, [table])
            cursor.execute(f"CREATE TABLE bare_{table} AS SELECT {cursor.fetchone()[0]} FROM {table} WHERE false")

        def write() -> None:
            for table, text in texts.items():
                with cursor.copy(f"COPY bare_{table} FROM STDIN") as stream:
                    stream.write(text)

        return spent(write)


def main(queries: int = 10_000, corpus: int = CORPUS) -> None:
    """Import once and print what it took, beside the bare COPY of what it wrote."""
    from django.core.management import call_command

    from triage import intake
    from triage.ingest import ingest
    from triage.invite import default_project

    call_command("migrate", verbosity=0)
    upload = intake.store(default_project(), None, "benchmark.jsonl", lines(queries, corpus))
    before = peak_mb()
    took = spent(lambda: ingest(upload.pk))
    upload.refresh_from_db()
    size = f"{upload.size_bytes / 1024**2:.0f} MB, {queries:,} queries, {corpus:,} chunks"
    print(f"{upload.state} {upload.reason}: {size}, peak {peak_mb():.0f} MB ({peak_mb() - before:+.0f} MB)\n")
    print(f"import: {took.of(queries)}\n")
    bare = bare_copy()
    print(f"bare COPY of the same rows: {bare.of(queries)}\n")
    print(
        f"ratio: {took.clock / bare.clock:.1f} of waiting time, "
        f"{(took.here + took.session) / (bare.here + bare.session):.1f} of processor time, "
        f"{max(took.here, took.session) / max(bare.here, bare.session):.1f} on two idle cores"
    )


if __name__ == "__main__":
    var = throwaway.start()
    try:
        django.setup()
        main(*map(int, sys.argv[1:]))
    finally:
        throwaway.stop(var)
