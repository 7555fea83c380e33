"""Cluster bootstrap by reweighting: the data is summed once per cluster, each round only reweighs the sums.

A statistic that is a function of summed tables needs no resampling of rows: one matrix product gives the tables
of all rounds. Claims of one answer, or all that hangs on one query, form one cluster. Needs numpy: workers and
commands only, never a web process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: Sums of one or many rounds -> one value per round; NaN inside this module only, where a round has no value.
Statistic = Callable[[Array], Array]

ROUNDS = 1000
SEED = 20_261_130
#: Rounds whose statistic is undefined are dropped; an interval needs at least this share of them.
LEAST_DEFINED = 0.5
#: Cells of one weight matrix at most (about 32 MB), so that memory does not grow with the data.
MOST_CELLS = 4_000_000
#: More clusters than these are resampled in as many random groups.
MOST_CLUSTERS = MOST_CELLS // ROUNDS


def cluster_index(clusters: Sequence[str]) -> tuple[NDArray[np.intp], int]:
    """Return each row's cluster number and how many clusters there are.

    Numbers follow the sorted names: the order of the rows never changes an interval.
    """
    number = {name: place for place, name in enumerate(sorted(set(clusters)))}
    return np.fromiter((number[name] for name in clusters), np.intp, len(clusters)), len(number)


def sum_by_cluster(rows: Array, index: NDArray[np.intp], count: int) -> Array:
    """Return `rows` (row x anything) added up within each cluster (cluster x anything)."""
    if not len(rows):
        return np.zeros((count, *rows.shape[1:]))
    columns = rows.reshape(len(rows), -1).T
    sums = [np.bincount(index, weights=column, minlength=count) for column in columns]
    table: Array = np.stack(sums, axis=1).astype(np.float64).reshape(count, *rows.shape[1:])
    return table


def resampled(sums: Array, statistic: Statistic, rounds: int = ROUNDS, seed: int = SEED) -> Array:
    """Return the statistic of `rounds` resamples, with replacement, of the clusters in `sums`."""
    shape = sums.shape[1:]
    grouped = _grouped(sums.reshape(sums.shape[0], -1))
    values: Array = statistic((_weights(len(grouped), rounds, seed) @ grouped).reshape(rounds, *shape))
    return values


def resampled_rows(
    index: NDArray[np.intp], count: int, statistic: Statistic, rounds: int = ROUNDS, seed: int = SEED
) -> Array:
    """Return a statistic that needs every row's weight (rounds x rows), such as one on ranks, for each resample."""
    weights, step = _weights(count, rounds, seed), max(1, MOST_CELLS // len(index))
    parts = [statistic(weights[start : start + step, index]) for start in range(0, rounds, step)]
    values: Array = np.concatenate(parts)
    return values


def _grouped(sums: Array) -> Array:
    """Return the sums of clusters, or of random groups of clusters where there are very many.

    Independent clusters added up in groups are independent again, and the spread of their total is the same; with
    this many groups it is known to about one per cent. So the work stops growing with the data.
    """
    if len(sums) <= MOST_CLUSTERS:
        return sums
    group = np.random.default_rng(SEED).permutation(len(sums)) % MOST_CLUSTERS
    return sum_by_cluster(sums, group, MOST_CLUSTERS)


@lru_cache(maxsize=4)
def _weights(count: int, rounds: int, seed: int) -> Array:
    """Return how often each of `count` clusters is drawn in each round: one table for every figure of a page."""
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=rounds)
    weights: Array = drawn.astype(np.float64)
    weights.flags.writeable = False
    return weights


def percentile_interval(values: Array, point: float, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the percentile interval of the defined rounds, stretched to hold the point.

    None where too few rounds are defined, or where all rounds agree (then the data shows no spread at all, and
    an interval of width 0 would claim certainty).
    """
    defined = values[np.isfinite(values)]
    if len(defined) < LEAST_DEFINED * len(values) or len(defined) == 0:
        return None
    tail = (1 - confidence) / 2
    low, high = (float(edge) for edge in np.quantile(defined, [tail, 1 - tail]))
    low, high = min(low, point), max(high, point)
    return None if high - low < 1e-12 else (low, high)
