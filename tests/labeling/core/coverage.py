"""Simulated draws: how often the interval of a corrected count holds the truth. Shared with benchmarks/coverage.py."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from labeling.core.correction import Draw, Stratum, correct

CATEGORIES = ("miss", "unsupported", "wrong_question", "still_wrong", "not_a_failure")


@dataclass
class Tally:
    """Hits and trials by cell of the design."""

    hits: Counter[str] = field(default_factory=Counter)
    trials: Counter[str] = field(default_factory=Counter)
    outside: int = 0

    def add(self, cell: str, hit: bool) -> None:
        self.hits[cell] += hit
        self.trials[cell] += 1

    def coverage(self, cell: str) -> float:
        return self.hits[cell] / self.trials[cell]


def simulate(populations: int, seed: int) -> Tally:
    """Draw from `populations` random populations: N 30-5,000, 1-5 strata, 10-95 % read, skewed classes."""
    rng = np.random.default_rng(seed)
    tally = Tally()
    for _ in range(populations):
        _one(rng, tally)
    return tally


def _one(rng: np.random.Generator, tally: Tally) -> None:
    size = int(np.exp(rng.uniform(np.log(30), np.log(5000))))
    count = int(rng.integers(1, min(5, size // 8) + 1))
    sizes = rng.multinomial(size - 7 * count, rng.dirichlet(np.ones(count))) + 7
    truth = np.array([rng.multinomial(n, rng.dirichlet(np.full(5, rng.uniform(0.1, 1)))) for n in sizes])
    share = rng.uniform(0.1, 0.95)
    taken = [int(min(max(5, round(n * share)), n - 1)) for n in sizes]
    seen = [rng.multivariate_hypergeometric(row, n) for row, n in zip(truth, taken, strict=True)]
    strata = tuple(
        Stratum(str(number), int(n), dict(zip(CATEGORIES, map(int, found), strict=True)))
        for number, (n, found) in enumerate(zip(sizes, seen, strict=True))
    )
    confirmed = dict(zip(CATEGORIES, map(int, np.sum(seen, axis=0)), strict=True))
    found = correct(Draw("simulated", strata, {}), confirmed, CATEGORIES)
    for category, true in zip(CATEGORIES, truth.sum(axis=0), strict=True):
        estimate = found.estimates[category]
        hit = bool(estimate.low - 1e-9 <= true <= estimate.high + 1e-9)
        tally.outside += not estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9
        tally.add("all", hit)
        tally.add(f"strata {count}", hit)
        if true < 0.02 * size:
            tally.add("share under 2 %", hit)
        if max(taken) <= 20:
            tally.add("read 5-20 a stratum", hit)
