"""95 % intervals in plain Python: Wilson for a share, normal theory for a mean. Web processes may import it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from statistics import NormalDist, fmean, stdev

#: The confidence of every interval the product prints unless it says otherwise.
CONFIDENCE = 0.95


@lru_cache(maxsize=64)
def z_of(confidence: float = CONFIDENCE) -> float:
    """Return the two-sided standard-normal quantile, 1.96 at 95 %. Raises ValueError outside (0, 1)."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, found {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(k: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson score interval of k out of n (Wilson 1927), within [0, 1].

    Raises ValueError when n is 0 (a share of nothing has no interval) or k lies outside 0..n.
    """
    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"a share needs 0 <= k <= n and n > 0, found k={k}, n={n}")
    z = z_of(confidence)
    p = k / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The ends are exact where the share is: rounding must not print 0.0000001 or 0.9999999.
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return low, high


def mean_interval(values: Iterable[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Return mean -/+ z * s / sqrt(n) with the sample standard deviation s; None under two values."""
    seen = list(values)
    if len(seen) < 2:
        return None
    return normal_interval(fmean(seen), stdev(seen) ** 2, len(seen), confidence)


def normal_interval(mean: float, variance: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the normal-theory interval of a mean from its sample variance and n (> 0)."""
    half = z_of(confidence) * math.sqrt(variance / n)
    return mean - half, mean + half
