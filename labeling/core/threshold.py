"""Every distinct score as a threshold: TPR, TNR and balanced accuracy with limits, and the one to suggest.

A claim is supported at or above the threshold. Chosen on the `dev` split, reported on `test`. Plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.core.limits import Part, mover_mean
from triage.core.intervals import wilson


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """What a threshold would do: hits of each class, and balanced accuracy with 95 % limits."""

    threshold: float
    true_positives: int
    positives: int
    true_negatives: int
    negatives: int
    balanced_accuracy: float
    low: float
    high: float

    @property
    def tpr(self) -> float:
        """Return the share of positives at or above the threshold."""
        return self.true_positives / self.positives

    @property
    def tnr(self) -> float:
        """Return the share of negatives below the threshold."""
        return self.true_negatives / self.negatives


def sweep(scores: Sequence[float], positives: Sequence[bool]) -> list[SweepPoint]:
    """Return one point per distinct score, ascending; empty unless both classes occur."""
    total, all_positive = len(scores), sum(positives)
    if not 0 < all_positive < total:
        return []
    rows = sorted(zip(scores, positives, strict=True))
    points: list[SweepPoint] = []
    below_positive = 0
    for below, (score, positive) in enumerate(rows):
        if below == 0 or rows[below - 1][0] != score:
            hits, true_negatives = all_positive - below_positive, below - below_positive
            points.append(point_at(score, hits, all_positive, true_negatives, total - all_positive))
        below_positive += positive
    return points


def point_at(threshold: float, hits: int, positives: int, true_negatives: int, negatives: int) -> SweepPoint:
    """Return the point for these counts; both classes must occur."""
    tpr = Part(hits / positives, *wilson(hits, positives))
    tnr = Part(true_negatives / negatives, *wilson(true_negatives, negatives))
    mean = mover_mean(tpr, tnr)
    return SweepPoint(threshold, hits, positives, true_negatives, negatives, mean.point, mean.low, mean.high)


def best(points: Sequence[SweepPoint]) -> SweepPoint | None:
    """Return the point of highest balanced accuracy; of ties, the one with the higher TNR. None without points."""
    return max(points, key=lambda point: (_whole_accuracy(point), point.true_negatives), default=None)


def _whole_accuracy(point: SweepPoint) -> int:
    """Return balanced accuracy times 2 positives negatives: whole numbers tie exactly, fractions may not."""
    return point.true_positives * point.negatives + point.true_negatives * point.positives


def at(points: Sequence[SweepPoint], threshold: float) -> SweepPoint | None:
    """Return what `threshold` does: the point of the lowest swept score at or above it.

    A threshold above every score calls nothing supported: then TPR is 0 and TNR 1. None without points.
    """
    for point in points:
        if point.threshold >= threshold:
            return point
    if not points:
        return None
    last = points[-1]
    return point_at(threshold, 0, last.positives, last.negatives, last.negatives)


def thinned(points: Sequence[SweepPoint], most: int, keep: Sequence[float] = ()) -> list[SweepPoint]:
    """Return at most about `most` points, evenly by place, always the ends and the thresholds in `keep`.

    For drawing and for the table beside it; choosing always reads every point.
    """
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    places = {round(step * number) for number in range(most)}
    return [point for place, point in enumerate(points) if place in places or point.threshold in keep]
