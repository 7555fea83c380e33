"""Measure the import: queries a second and peak memory, end to end, in a database of its own.

Run from the root of the repository: `python -m benchmarks.ingest [QUERIES] [CHUNKS]`. Default: 10,000 queries of 8
chunks of 128 tokens out of a corpus of 20,000 (87 MB). The target on two idle cores is 3,000 queries a second; memory
must not grow with the file.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Iterator

import django

from tests import throwaway

WORDS = [f"word{number}" for number in range(4_000)]
CORPUS, SLOTS, TOKENS = 20_000, 8, 128


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


def main(queries: int = 10_000, corpus: int = CORPUS) -> None:
    """Import once and print what it took."""
    from django.core.management import call_command

    from triage import intake
    from triage.ingest import ingest
    from triage.invite import default_project

    call_command("migrate", verbosity=0)
    upload = intake.store(default_project(), None, "benchmark.jsonl", lines(queries, corpus))
    before, began = peak_mb(), time.perf_counter()
    done = ingest(upload.pk)
    seconds = time.perf_counter() - began
    print(f"{done.state} {done.reason}: {upload.size_bytes / 1024**2:.0f} MB, {queries:,} queries, {corpus:,} chunks")
    print(
        f"{seconds:.2f} s, {queries / seconds:,.0f} queries/s, peak {peak_mb():.0f} MB ({peak_mb() - before:+.0f} MB)"
    )


if __name__ == "__main__":
    var = throwaway.start()
    try:
        django.setup()
        main(*map(int, sys.argv[1:]))
    finally:
        throwaway.stop(var)
