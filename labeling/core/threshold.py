"""Every distinct score as a threshold: TPR, TNR and balanced accuracy with limits, and the one to suggest.

A claim is supported at or above the threshold. Chosen on the `dev` split, reported on `test`. Plain Python.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from labeling.core.limits import Part, mover_mean
from triage.core.intervals import wilson


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """What a threshold would do: hits of each class. Both classes occur. Limits are made when asked for."""

    threshold: float
    true_positives: int
    positives: int
    true_negatives: int
    negatives: int

    @property
    def tpr(self) -> float:
        """Return the share of positives at or above the threshold."""
        return self.true_positives / self.positives

    @property
    def tnr(self) -> float:
        """Return the share of negatives below the threshold."""
        return self.true_negatives / self.negatives

    @property
    def balanced_accuracy(self) -> float:
        """Return the mean of TPR and TNR."""
        return self.limits().point

    @property
    def low(self) -> float:
        """Return the lower 95 % limit of balanced accuracy."""
        return self.limits().low

    @property
    def high(self) -> float:
        """Return the upper 95 % limit of balanced accuracy."""
        return self.limits().high

    def limits(self) -> Part:
        """Return balanced accuracy with its 95 % limits: Wilson for the rates, MOVER for their mean."""
        tpr = Part(self.tpr, *wilson(self.true_positives, self.positives))
        return mover_mean(tpr, Part(self.tnr, *wilson(self.true_negatives, self.negatives)))

    def as_json(self) -> dict[str, float]:
        """Return counts, balanced accuracy and its limits as they are stored."""
        found = self.limits()
        return {**asdict(self), "balanced_accuracy": found.point, "low": found.low, "high": found.high}


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
            points.append(SweepPoint(score, hits, all_positive, true_negatives, total - all_positive))
        below_positive += positive
    return points


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
    if not points:
        return None
    place = bisect_left(points, threshold, key=lambda point: point.threshold)
    if place < len(points):
        return points[place]
    last = points[-1]
    return SweepPoint(threshold, 0, last.positives, last.negatives, last.negatives)


def thinned(points: Sequence[SweepPoint], most: int, keep: Sequence[float] = ()) -> list[SweepPoint]:
    """Return at most about `most` points, evenly by place, always the ends and the thresholds in `keep`.

    For drawing and for the table beside it; choosing always reads every point.
    """
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    places = {round(step * number) for number in range(most)}
    return [point for place, point in enumerate(points) if place in places or point.threshold in keep]
