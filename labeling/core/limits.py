"""Exact limits for a count in a finite population, and how limits of parts combine. Plain Python.

Sources: Wright 1991 "Exact confidence bounds when sampling from small finite universes" (hypergeometric tails);
Zou and Donner 2008 "Construction of confidence limits about effect measures" (MOVER).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Part:
    """A point with its limits, one summand of a total. `low` <= `point` <= `high`."""

    point: float
    low: float
    high: float


def mover_sum(parts: Iterable[Part]) -> Part:
    """Return the total of independent parts: distances to the limits add up as squares, each side on its own."""
    listed = list(parts)
    point = math.fsum(part.point for part in listed)
    below = math.sqrt(math.fsum((part.point - part.low) ** 2 for part in listed))
    above = math.sqrt(math.fsum((part.high - part.point) ** 2 for part in listed))
    return Part(point, point - below, point + above)


def mover_mean(left: Part, right: Part) -> Part:
    """Return the mean of two independent parts (balanced accuracy from TPR and TNR)."""
    total = mover_sum((left, right))
    return Part(total.point / 2, total.low / 2, total.high / 2)


@lru_cache(maxsize=65_536)
def finite_limits(seen: int, read: int, size: int, confidence: float = 0.95) -> tuple[int, int]:
    """Return how many of `size` items there can be when `seen` of `read`, drawn without replacement, were.

    Exact: the lowest and highest count that a two-sided hypergeometric test does not reject. 11 of 20 read out of
    31 gives (13, 21). Raises ValueError unless 0 <= seen <= read <= size.
    """
    if not 0 <= seen <= read <= size:
        raise ValueError(f"need 0 <= seen <= read <= size, found {seen}, {read}, {size}")
    if read in (0, size):
        return (seen, seen) if read else (0, size)
    tail = (1 - confidence) / 2
    least, most = seen, size - read + seen
    low = _first(least, most, lambda count: _at_least(seen, read, size, count) > tail)
    high = _first(0, most - least, lambda step: _at_most(seen, read, size, most - step) > tail)
    return low, most - high


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the smallest number in [low, high] for which a monotone condition holds; it does hold at `high`."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _probability(found: int, read: int, size: int, count: int) -> float:
    """Return the chance of exactly `found` among `read`, drawn from `size` of which `count` are."""
    log = _log_choose(count, found) + _log_choose(size - count, read - found) - _log_choose(size, read)
    return math.exp(log)


def _at_least(seen: int, read: int, size: int, count: int) -> float:
    """Return P(X >= seen): sum the side that is away from the mean, where terms shrink fast."""
    if seen * size <= read * count:
        return 1 - (_below(seen - 1, read, size, count) if seen - 1 >= max(0, read + count - size) else 0.0)
    return _above(seen, read, size, count)


def _at_most(seen: int, read: int, size: int, count: int) -> float:
    """Return P(X <= seen): `count - X` is hypergeometric too, so it is the upper tail of what was not seen."""
    return _at_least(read - seen, read, size, size - count)


def _above(start: int, read: int, size: int, count: int) -> float:
    """Return P(X >= start) by summing upwards."""
    if start > min(read, count):
        return 0.0
    total = term = _probability(start, read, size, count)
    for found in range(start, min(read, count)):
        term *= (count - found) * (read - found) / ((found + 1) * (size - count - read + found + 1))
        total += term
        if term < total * 1e-16:
            break
    return total


def _below(start: int, read: int, size: int, count: int) -> float:
    """Return P(X <= start) by summing downwards."""
    total = term = _probability(start, read, size, count)
    for found in range(start, max(0, read + count - size), -1):
        term *= found * (size - count - read + found) / ((count - found + 1) * (read - found + 1))
        total += term
        if term < total * 1e-16:
            break
    return total
