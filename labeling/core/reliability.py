"""Do scores mean what they say? Bins, ECE, Brier, and two ways to turn a score into a chance. Plain Python.

Sources: Brier 1950; Guo et al. 2017 (ECE); Zadrozny and Elkan 2002 (isotonic fit by pool-adjacent-violators);
Platt 1999 with the targets and the safe Newton steps of Lin, Lin and Weng 2007.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from triage.core.intervals import wilson

#: Equal-width bins, closed on the right; the first is closed on both sides, so that a score of 0 has a bin.
BINS = 10
#: Inner edges of the bins.
EDGES = tuple(edge / BINS for edge in range(1, BINS))


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of scores (`above`, `to`] with what people said of the items in it. Means are None where n is 0."""

    above: float
    to: float
    n: int
    mean_score: float | None
    share: float | None
    low: float | None
    high: float | None

    @property
    def title(self) -> str:
        """Return the bin as an interval, the edge rule in its brackets."""
        return f"{'[' if self.above == 0 else '('}{self.above:.1f}, {self.to:.1f}]"


def bin_of(score: float, bins: int = BINS) -> int:
    """Return the number of the bin that holds a score in [0, 1]."""
    return bisect_left([edge / bins for edge in range(1, bins)], score)


def reliability_bins(scores: Sequence[float], positives: Sequence[bool], bins: int = BINS) -> list[Bin]:
    """Return every bin, empty ones too: mean score across, share people call positive up, with Wilson limits."""
    held: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for score, positive in zip(scores, positives, strict=True):
        held[bin_of(score, bins)].append((score, positive))
    return [_bin(number, bins, rows) for number, rows in enumerate(held)]


def _bin(number: int, bins: int, rows: list[tuple[float, bool]]) -> Bin:
    above, to, n = number / bins, (number + 1) / bins, len(rows)
    if not n:
        return Bin(above, to, 0, None, None, None, None)
    hits = sum(positive for _, positive in rows)
    return Bin(above, to, n, fmean(score for score, _ in rows), hits / n, *wilson(hits, n))


def expected_calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the mean over items of |mean score - share| of their bin; None without items."""
    total = sum(held.n for held in bins)
    if not total:
        return None
    gaps = (
        held.n * abs(held.mean_score - held.share)
        for held in bins
        if held.mean_score is not None and held.share is not None
    )
    return math.fsum(gaps) / total


def brier_score(scores: Sequence[float], positives: Sequence[bool]) -> float | None:
    """Return the mean squared distance of score and outcome; None without items."""
    if not scores:
        return None
    return fmean((score - positive) ** 2 for score, positive in zip(scores, positives, strict=True))


def isotonic(values: Sequence[float]) -> list[float]:
    """Return the non-decreasing fit of `values` (outcomes in order of score) by pool-adjacent-violators."""
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = value, 1
        while pools and pools[-1][0] * count > total * pools[-1][1]:
            more, others = pools.pop()
            total, count = total + more, count + others
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def isotonic_curve(scores: Sequence[float], positives: Sequence[bool]) -> list[tuple[float, float]]:
    """Return (score, fitted share) for each distinct score, ascending: the reliability curve without bins."""
    by_score: dict[float, list[bool]] = {}
    for score, positive in zip(scores, positives, strict=True):
        by_score.setdefault(score, []).append(positive)
    ordered = sorted(by_score)
    flat = [fmean(by_score[score]) for score in ordered for _ in by_score[score]]
    fitted = isotonic(flat)
    ends = [sum(len(by_score[score]) for score in ordered[: place + 1]) for place in range(len(ordered))]
    return [(score, fitted[end - 1]) for score, end in zip(ordered, ends, strict=True)]


def platt_targets(positives: int, negatives: int) -> tuple[float, float]:
    """Return what the fit aims at for a positive and a negative: (N+ + 1) / (N+ + 2) and 1 / (N- + 2)."""
    return (positives + 1) / (positives + 2), 1 / (negatives + 2)


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """A fitted curve: the chance that people call an item positive is 1 / (1 + exp(-(slope * score + offset)))."""

    slope: float
    offset: float

    def chance(self, score: float) -> float:
        """Return the chance for a score."""
        lift = self.slope * score + self.offset
        return 1 / (1 + math.exp(-lift)) if lift >= 0 else math.exp(lift) / (1 + math.exp(lift))


def platt(scores: Sequence[float], positives: Sequence[bool], steps: int = 100) -> Sigmoid | None:
    """Fit Platt's sigmoid by Newton's method with halved steps; None unless both outcomes occur."""
    high, low = platt_targets(sum(positives), len(positives) - sum(positives))
    if not 0 < sum(positives) < len(positives):
        return None
    targets = [high if positive else low for positive in positives]
    curve, loss = Sigmoid(0.0, 0.0), _loss(Sigmoid(0.0, 0.0), scores, targets)
    for _ in range(steps):
        slope, offset = _newton_step(curve, scores, targets)
        size = 1.0
        while size > 1e-10:
            tried = Sigmoid(curve.slope - size * slope, curve.offset - size * offset)
            if (now := _loss(tried, scores, targets)) < loss:
                break
            size /= 2
        else:
            return curve
        curve, loss = tried, now
    return curve


def _newton_step(curve: Sigmoid, scores: Sequence[float], targets: Sequence[float]) -> tuple[float, float]:
    """Return the inverse Hessian times the gradient of the loss; the ridge keeps a flat Hessian invertible."""
    chances = [curve.chance(score) for score in scores]
    weights = [chance * (1 - chance) for chance in chances]
    gaps = [chance - target for chance, target in zip(chances, targets, strict=True)]
    aa = math.fsum(weight * score * score for weight, score in zip(weights, scores, strict=True)) + 1e-12
    ab = math.fsum(weight * score for weight, score in zip(weights, scores, strict=True))
    bb = math.fsum(weights) + 1e-12
    ga, gb = math.fsum(gap * score for gap, score in zip(gaps, scores, strict=True)), math.fsum(gaps)
    determinant = aa * bb - ab * ab
    return (bb * ga - ab * gb) / determinant, (aa * gb - ab * ga) / determinant


def _loss(curve: Sigmoid, scores: Sequence[float], targets: Sequence[float]) -> float:
    """Return the cross-entropy; log(1 + e^x) is written so that neither side overflows."""
    lifts = [curve.slope * score + curve.offset for score in scores]
    return math.fsum(
        max(lift, 0.0) + math.log1p(math.exp(-abs(lift))) - target * lift
        for lift, target in zip(lifts, targets, strict=True)
    )
