"""People's ordinal ratings beside a judge's raw score: rank correlation. Plain Python.

Sources: Spearman 1904; interval: Bonett and Wright 2000, "Sample size requirements for estimating Pearson, Kendall
and Spearman correlations" (Fisher's z with variance (1 + r^2 / 2) / (n - 3)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from labeling.core.figures import Figure, Undefined
from triage.core.intervals import z_of


def ranks(values: Sequence[float]) -> list[float]:
    """Return 1-based ranks; equal values share the mean of their places."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            found[place] = (start + end) / 2 + 1
        start = end + 1
    return found


def spearman(left: Sequence[float], right: Sequence[float]) -> Figure:
    """Return the rank correlation of two paired lists; undefined where either never varies."""
    n = len(left)
    if n < 4:
        return Figure.none(Undefined.NO_ITEMS, n)
    first, second = ranks(left), ranks(right)
    middle = (n + 1) / 2
    spread = math.sqrt(math.fsum((rank - middle) ** 2 for rank in first))
    spread *= math.sqrt(math.fsum((rank - middle) ** 2 for rank in second))
    if spread == 0:
        return Figure.none(Undefined.ONLY_ONE_CATEGORY, n)
    value = math.fsum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True)) / spread
    if abs(value) > 1 - 1e-12:
        return Figure(math.copysign(1.0, value), None, None, n)
    half = z_of() * math.sqrt((1 + value * value / 2) / (n - 3))
    centre = math.atanh(value)
    return Figure(value, math.tanh(centre - half), math.tanh(centre + half), n)
