"""Cluster bootstrap by reweighting: the data is summed once per cluster, each round only reweighs the sums.

A statistic that is a function of summed tables needs no resampling of rows: one matrix product gives the tables
of all rounds. Claims of one answer, or all that hangs on one query, form one cluster. Needs numpy: workers and
commands only, never a web process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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


def cluster_index(clusters: Sequence[str]) -> tuple[NDArray[np.intp], int]:
    """Return each row's cluster number and how many clusters there are.

    Numbers follow the sorted names: the order of the rows never changes an interval.
    """
    names, index = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    return index.astype(np.intp), len(names)


def sum_by_cluster(rows: Array, index: NDArray[np.intp], count: int) -> Array:
    """Return `rows` (row x anything) added up within each cluster (cluster x anything)."""
    sums: Array = np.zeros((count, *rows.shape[1:]))
    np.add.at(sums, index, rows)
    return sums


def resampled(sums: Array, statistic: Statistic, rounds: int = ROUNDS, seed: int = SEED) -> Array:
    """Return the statistic of `rounds` resamples, with replacement, of the clusters in `sums`."""
    count = sums.shape[0]
    flat = sums.reshape(count, -1)
    parts = [
        statistic((weights @ flat).reshape(len(weights), *sums.shape[1:]))
        for weights in _weights(count, count, rounds, seed)
    ]
    values: Array = np.concatenate(parts)
    return values


def resampled_rows(
    index: NDArray[np.intp], count: int, statistic: Statistic, rounds: int = ROUNDS, seed: int = SEED
) -> Array:
    """Return a statistic that needs every row's weight (rounds x rows), such as one on ranks, for each resample."""
    values: Array = np.concatenate(
        [statistic(weights[:, index]) for weights in _weights(count, len(index), rounds, seed)]
    )
    return values


def _weights(count: int, cells: int, rounds: int, seed: int) -> Iterator[Array]:
    """Yield how often each cluster is drawn, a few rounds at a time, so that `cells` a round stay within bounds."""
    rng = np.random.default_rng(seed)
    step = max(1, MOST_CELLS // max(cells, 1))
    for start in range(0, rounds, step):
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=min(step, rounds - start))
        yield drawn.astype(np.float64)


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
