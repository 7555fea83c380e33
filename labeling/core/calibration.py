"""A judge against people: every figure of the judge page, with its interval (calibration.md section 3).

Intervals: Wilson for rates, MOVER for sums of rates, cluster bootstrap over queries for the rest. Needs numpy:
workers and commands only, never a web process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from labeling.core.agreement import agreement_of_pairs
from labeling.core.bootstrap import (
    Array,
    Statistic,
    cluster_index,
    percentile_interval,
    resampled,
    resampled_rows,
    sum_by_cluster,
)
from labeling.core.figures import Figure, Undefined
from labeling.core.items import LabelPair
from labeling.core.limits import Part, mover_mean
from labeling.core.rates import Known, youden_interval
from labeling.core.reliability import BINS, EDGES
from triage.core.intervals import wilson

#: Up to so many scores AUROC is ranked anew in every resample; beyond, its projection is resampled.
MOST_RANKED = 5_000


@dataclass(frozen=True, slots=True)
class Judged:
    """One item with both words: what people said (first blind verdicts) and what the judge said."""

    query: str
    item: str
    human: bool
    judge: bool
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of a judge's yes and no against people's."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, rows: Sequence[Judged]) -> Confusion:
        """Count the four cells."""
        cells = Counter((row.human, row.judge) for row in rows)
        return cls(
            tp=cells[True, True],
            fp=cells[False, True],
            fn=cells[True, False],
            tn=cells[False, False],
        )

    @property
    def positives(self) -> Known:
        """Return how many of people's yes the judge called yes."""
        return Known(self.tp, self.tp + self.fn)

    @property
    def negatives(self) -> Known:
        """Return how many of people's no the judge called no."""
        return Known(self.tn, self.tn + self.fp)


def rate(known: Known, reason: Undefined) -> Figure:
    """Return a rate with its Wilson interval."""
    return Figure(known.rate, *wilson(known.hits, known.n), known.n) if known.n else Figure.none(reason)


def figures(rows: Sequence[Judged]) -> dict[str, Figure]:
    """Return every figure of a binary comparison by its `--json` key.

    Score-based figures (AUROC, Brier, ECE) rest on the items that have a score and say how many.
    """
    # One order for all sums: the last digit must not depend on the order rows arrive in.
    rows = sorted(rows, key=lambda row: (row.query, row.item, row.human, row.judge, row.score or 0.0))
    table = Confusion.of(rows)
    pairs = [LabelPair(row.query, _word(row.human), _word(row.judge)) for row in rows]
    agreement = agreement_of_pairs(pairs, ("no", "yes"))
    return {
        "tpr": rate(table.positives, Undefined.NO_POSITIVES),
        "tnr": rate(table.negatives, Undefined.NO_NEGATIVES),
        "balanced_accuracy": _combined(table, len(rows), _mean_of_rates),
        "youden_j": _combined(table, len(rows), youden_interval),
        "raw_agreement": agreement.raw,
        "kappa": agreement.kappa,
        "ac1": agreement.ac1,
        "alpha": agreement.alpha,
        **score_figures(rows),
    }


def _word(positive: bool) -> str:
    return "yes" if positive else "no"


def _mean_of_rates(negatives: Known, positives: Known) -> Part:
    tnr, tpr = (Part(known.rate, *wilson(known.hits, known.n)) for known in (negatives, positives))
    return mover_mean(tnr, tpr)


def _combined(table: Confusion, n: int, combine: Callable[[Known, Known], Part]) -> Figure:
    if not n:
        return Figure.none(Undefined.NO_ITEMS)
    if not table.positives.n:
        return Figure.none(Undefined.NO_POSITIVES, n)
    if not table.negatives.n:
        return Figure.none(Undefined.NO_NEGATIVES, n)
    part = combine(table.negatives, table.positives)
    return Figure(part.point, part.low, part.high, n)


def score_figures(rows: Sequence[Judged]) -> dict[str, Figure]:
    """Return AUROC, Brier and ECE (10 equal bins, right-closed, 0 in the first) of the items that have a score."""
    scored = [(row.query, row.score, row.human) for row in rows if row.score is not None]
    if not scored:
        none = Figure.none(Undefined.NO_SCORES)
        return {"auroc": none, "brier": none, "ece": none}
    scores = np.asarray([score for _, score, _ in scored])
    human = np.asarray([float(positive) for *_, positive in scored])
    index, count = cluster_index([query for query, *_ in scored])
    errors = np.stack([np.ones_like(scores), (scores - human) ** 2], axis=1)
    binned = np.zeros((len(scores), BINS, 3))
    binned[np.arange(len(scores)), np.searchsorted(EDGES, scores)] = np.stack([errors[:, 0], scores, human], axis=1)
    return {
        "auroc": _auroc(scores, human, index, count),
        "brier": _of_sums(errors, index, count, _mean_error),
        "ece": _of_sums(binned, index, count, _calibration_error),
    }


def _mean_error(sums: Array) -> Array:
    mean: Array = sums[..., 1] / sums[..., 0]
    return mean


def _calibration_error(sums: Array) -> Array:
    gaps: Array = np.abs(sums[..., 1] - sums[..., 2]).sum(axis=-1) / sums[..., 0].sum(axis=-1)
    return gaps


def _of_sums(rows: Array, index: NDArray[np.intp], count: int, statistic: Statistic) -> Figure:
    sums = sum_by_cluster(rows, index, count)
    point = float(statistic(sums.sum(axis=0)))
    interval = percentile_interval(resampled(sums, statistic), point)
    low, high = interval or (None, None)
    return Figure(point, low, high, len(rows))


def _auroc(scores: Array, human: Array, index: NDArray[np.intp], count: int) -> Figure:
    """Return the chance that a positive scores above a negative, ties counting half (Hanley and McNeil 1982)."""
    if human.min() == human.max():
        reason = Undefined.NO_POSITIVES if human.max() == 0 else Undefined.NO_NEGATIVES
        return Figure.none(reason, len(scores))
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-1.0))
    statistic = partial(_weighted_auroc, human=human[order], starts=starts)
    point = float(statistic(np.ones((1, len(scores))))[0])
    if len(scores) > MOST_RANKED:
        rounds = _projected_auroc(scores[order], human[order], index[order], count, point)
    else:
        rounds = resampled_rows(index[order], count, statistic)
    interval = percentile_interval(rounds, point)
    low, high = interval or (None, None)
    return Figure(point, low, high, len(scores))


def _projected_auroc(scores: Array, human: Array, index: NDArray[np.intp], count: int, point: float) -> Array:
    """Return AUROC of each resample by its projection on single items (Hajek 1968; DeLong et al. 1988).

    An item's place among the items of the other class stays what it is in all items; only sums are resampled. What
    that leaves out shrinks with n, the spread only with its root.
    """
    ones, zeros = scores[human == 1], scores[human == 0]
    place = np.where(human == 1, _share_below(zeros, scores), 1 - _share_below(ones, scores))
    rows = np.stack([place * human, human, place * (1 - human), 1 - human], axis=1)
    values: Array = resampled(sum_by_cluster(rows, index, count), _sum_of_places) - point
    return values


def _share_below(values: Array, scores: Array) -> Array:
    """Return for each score the share of the ascending `values` below it, ties half."""
    ends = np.searchsorted(values, scores, "left") + np.searchsorted(values, scores, "right")
    share: Array = ends / (2 * len(values))
    return share


def _sum_of_places(sums: Array) -> Array:
    value: Array = sums[..., 0] / sums[..., 1] + sums[..., 2] / sums[..., 3]
    return value


def _weighted_auroc(weights: Array, human: Array, starts: NDArray[np.intp]) -> Array:
    """Return AUROC for each row of weights over items sorted by score; `starts` are where a new score begins."""
    positive = np.add.reduceat(weights * human, starts, axis=1)
    negative = np.add.reduceat(weights * (1 - human), starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    area: Array = np.where(pairs > 0, (positive * below).sum(axis=1) / np.where(pairs > 0, pairs, 1), np.nan)
    return area


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """How a judge does on one label: of what it said, and of what people said."""

    precision: Figure
    recall: Figure
    f1: Figure


def label_figures(pairs: Sequence[LabelPair], labels: Sequence[str]) -> dict[str, LabelFigures]:
    """Return precision, recall (Wilson) and F1 (bootstrap over queries) per label; left = people, right = judge."""
    index, count = cluster_index([pair.cluster for pair in pairs]) if pairs else (np.zeros(0, dtype=np.intp), 0)
    found: dict[str, LabelFigures] = {}
    for label in labels:
        both = sum(pair.left == label == pair.right for pair in pairs)
        said = Known(both, sum(pair.right == label for pair in pairs))
        true = Known(both, sum(pair.left == label for pair in pairs))
        found[label] = LabelFigures(
            precision=rate(said, Undefined.NEVER_SAID),
            recall=rate(true, Undefined.NO_POSITIVES),
            f1=_f1(pairs, label, index, count) if said.n + true.n else Figure.none(Undefined.NEVER_SAID, len(pairs)),
        )
    return found


def _f1(pairs: Sequence[LabelPair], label: str, index: NDArray[np.intp], count: int) -> Figure:
    """F1 is the positive agreement of people and judge on the label: 2 both / (left + right)."""
    cells = [[pair.left == label == pair.right, (pair.left == label) + (pair.right == label)] for pair in pairs]
    return _of_sums(np.asarray(cells, dtype=np.float64), index, count, _both_of_either)


def _both_of_either(sums: Array) -> Array:
    said = sums[..., 1]
    share: Array = np.where(said > 0, 2 * sums[..., 0] / np.where(said > 0, said, 1), np.nan)
    return share
