"""The same queries in two runs: did anything change, by how much, and is it decided? Plain Python.

Sources: McNemar 1947 (exact form: binomial on the discordant pairs); Stuart 1955 and Maxwell 1970; Holm 1979;
interval of a paired difference of shares: Newcombe 1998, method 10; sign-flip test: Fisher 1935.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from statistics import fmean

from triage.core.intervals import mean_interval, wilson

#: A change is decided when its interval leaves out 0 and its p-value is below this.
SIGNIFICANCE = 0.05
#: Up to this many non-zero differences all sign patterns are tried; beyond, the normal form is as good.
MOST_FLIPS = 16
#: Up to this many discordant pairs whole numbers decide, the same digits everywhere; beyond, no float holds them.
MOST_WHOLE = 1000


class Decision(StrEnum):
    """What a paired comparison comes to."""

    BETTER = "better"
    WORSE = "worse"
    NOT_DECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class Change:
    """A paired difference (new minus old) with its 95 % interval, p-value and the number of pairs."""

    difference: float
    low: float | None
    high: float | None
    p: float
    n: int

    def decision(self, *, higher_is_better: bool = True, p: float | None = None) -> Decision:
        """Return better, worse or not decided; `p` replaces the own p-value, say after Holm's correction."""
        if self.low is None or self.high is None or (self.p if p is None else p) >= SIGNIFICANCE:
            return Decision.NOT_DECIDED
        if self.low <= 0 <= self.high:
            return Decision.NOT_DECIDED
        return Decision.BETTER if (self.difference > 0) == higher_is_better else Decision.WORSE


def mcnemar_exact(left: int, right: int) -> float:
    """Return the two-sided exact p-value of `left` and `right` discordant pairs; without any, 1."""
    n, fewer = left + right, min(left, right)
    if n <= MOST_WHOLE:
        return min(1.0, 2.0 * sum(math.comb(n, k) for k in range(fewer + 1)) / (1 << n))
    term = math.exp(math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1) - n * math.log(2))
    tail = 0.0
    # From the largest term down, where they shrink fast: thousands of pairs cost no more than a few.
    for k in range(fewer, -1, -1):
        tail += term
        if term < tail * 1e-17:
            break
        term *= k / (n - k + 1)
    return min(1.0, 2 * tail)


def share_change(both: int, only_old: int, only_new: int, neither: int) -> Change:
    """Return the change of a share between paired runs; `only_new` pairs turned yes, `only_old` turned no.

    Raises ValueError without pairs.
    """
    n = both + only_old + only_new + neither
    if n == 0:
        raise ValueError("a paired change needs at least one pair")
    old, new = both + only_old, both + only_new
    (old_low, old_high), (new_low, new_high) = wilson(old, n), wilson(new, n)
    tie = _phi(both, only_old, only_new, neither)
    difference = (only_new - only_old) / n
    below = _together(new / n - new_low, old_high - old / n, tie)
    above = _together(new_high - new / n, old / n - old_low, tie)
    return Change(difference, difference - below, difference + above, mcnemar_exact(only_old, only_new), n)


def _together(one: float, other: float, tie: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * tie * one * other + other * other))


def _phi(a: int, b: int, c: int, d: int) -> float:
    """Return the correlation of the two outcomes, drawn towards 0 as Newcombe does; 0 where a margin is empty."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    product_gap = float(a * d - b * c)
    if product_gap > 0:
        product_gap = max(product_gap - (a + b + c + d) / 2, 0)
    return product_gap / math.sqrt(margins)


def mean_change(differences: Sequence[float]) -> Change:
    """Return the mean of paired differences, its normal interval and the sign-flip p-value. Raises without pairs."""
    if not differences:
        raise ValueError("a paired change needs at least one pair")
    low, high = mean_interval(differences) or (None, None)
    return Change(fmean(differences), low, high, sign_flip(differences), len(differences))


def sign_flip(differences: Sequence[float]) -> float:
    """Return the two-sided p-value that the differences are symmetric around 0.

    All sign patterns up to 16 non-zero differences; beyond, the normal form sum / sqrt(sum of squares).
    """
    moved = [difference for difference in differences if difference != 0]
    if not moved:
        return 1.0
    seen = abs(math.fsum(moved))
    if len(moved) > MOST_FLIPS:
        return math.erfc(seen / math.sqrt(2 * math.fsum(d * d for d in moved)))
    sums = (
        math.fsum(s * d for s, d in zip(signs, moved, strict=True)) for signs in product((1, -1), repeat=len(moved))
    )
    return sum(abs(total) >= seen - 1e-12 for total in sums) / (1 << len(moved))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values in the given order."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    worst = 0.0
    for step, place in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - step) * p_values[place]))
        adjusted[place] = worst
    return adjusted


@dataclass(frozen=True, slots=True)
class MixTest:
    """Did the mix of classes change? Chi-square with its degrees of freedom; 0 degrees = nothing moved, p 1."""

    statistic: float
    degrees: int
    p: float


def stuart_maxwell(moves: Mapping[tuple[str, str], int]) -> MixTest:
    """Return the test that old and new class mixes are equal; `moves` counts pairs by (old class, new class).

    The covariance is the Laplacian of the graph of moves, so classes that never trade with others drop out and
    the rank gives the degrees of freedom: no special case for empty or separate classes.
    """
    labels = sorted({label for pair, count in moves.items() if count and pair[0] != pair[1] for label in pair})
    place = {label: number for number, label in enumerate(labels)}
    gap = [0.0] * len(labels)
    spread = [[0.0] * len(labels) for _ in labels]
    for (old, new), count in moves.items():
        if old == new or not count:
            continue
        i, j = place[old], place[new]
        gap[i] += count
        gap[j] -= count
        spread[i][i] += count
        spread[j][j] += count
        spread[i][j] -= count
        spread[j][i] -= count
    solution, rank = _solve(spread, gap)
    statistic = math.fsum(d * x for d, x in zip(gap, solution, strict=True))
    return MixTest(statistic, rank, chi_square_tail(statistic, rank) if rank else 1.0)


def _solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> tuple[list[float], int]:
    """Return one solution of a consistent symmetric system and its rank (Gauss-Jordan; free unknowns are 0)."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    pivots: list[int] = []
    for column in range(size):
        rank = len(pivots)
        best = max(range(rank, size), key=lambda number: abs(rows[number][column]), default=rank)
        if best >= size or abs(rows[best][column]) < 1e-9:
            continue
        rows[rank], rows[best] = rows[best], rows[rank]
        head = rows[rank][column]
        rows[rank] = [value / head for value in rows[rank]]
        for number in range(size):
            if number != rank and rows[number][column]:
                factor = rows[number][column]
                rows[number] = [a - factor * b for a, b in zip(rows[number], rows[rank], strict=True)]
        pivots.append(column)
    solution = [0.0] * size
    for number, column in enumerate(pivots):
        solution[column] = rows[number][-1]
    return solution, len(pivots)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Return P(chi-square >= statistic) for whole degrees of freedom > 0, by the closed finite sums."""
    half = max(statistic, 0.0) / 2
    if degrees % 2 == 0:
        terms = (half**k / math.factorial(k) for k in range(degrees // 2))
        return math.exp(-half) * math.fsum(terms)
    terms = (half ** (k + 0.5) / math.gamma(k + 1.5) for k in range((degrees - 1) // 2))
    return math.erfc(math.sqrt(half)) + math.exp(-half) * math.fsum(terms)
