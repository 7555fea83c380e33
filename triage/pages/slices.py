"""The slices of a run by one key, as the run page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triage.core.closure import Outcomes
from triage.core.intervals import wilson
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.pictures import Axis, Interval, interval, share_axis
from triage.models.slices import Sliced

#: The labels a slice is counted by.
SHOWN = (*FOUR_CLASSES, UNSCORED)
#: Slices under this n are greyed: no comparison rests on them.
FEW = 20
#: Rows of one slice key that a page shows.
MOST_SLICES = 50


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One value of the chosen slice key."""

    name: str
    n: int
    failing: int
    accuracy: float | None
    low: float | None
    high: float | None
    bar: Interval
    classes: tuple[tuple[str, int], ...]
    is_few: bool


@dataclass(frozen=True, slots=True)
class SlicePanel:
    """The slices of a run by one key, and the other keys."""

    chosen: str
    keys: tuple[str, ...]
    rows: tuple[SliceLine, ...]
    hidden: int
    total: SliceLine | None
    axis: Axis

    @property
    def has_choice(self) -> bool:
        """Say whether there is another key to slice by."""
        return len(self.keys) > 1


def slice_panel(parts: Sliced, whole: Outcomes) -> SlicePanel:
    scale = share_axis()
    rows, pooled = parts.rows, whole.correct / whole.decided if whole.decided else None
    lines = [_slice_line(row.name, row.outcomes, row.classes, scale, pooled) for row in rows]
    classes = {str(label): sum(row.classes[label] for row in rows) for label in SHOWN}
    total = _slice_line("All", whole, classes, scale, pooled) if rows else None
    return SlicePanel(
        parts.key,
        parts.keys,
        tuple(lines[:MOST_SLICES]),
        hidden=max(0, len(lines) - MOST_SLICES),
        total=total,
        axis=scale,
    )


def _slice_line(
    name: str, outcomes: Outcomes, classes: Mapping[str, int], scale: Axis, pooled: float | None
) -> SliceLine:
    decided = outcomes.decided
    accuracy = outcomes.correct / decided if decided else None
    low, high = wilson(outcomes.correct, decided) if decided else (None, None)
    return SliceLine(
        name=name,
        n=outcomes.queries,
        failing=outcomes.failing,
        accuracy=accuracy,
        low=low,
        high=high,
        bar=interval(scale, accuracy, low, high, target=pooled),
        classes=tuple((str(label), classes[label]) for label in SHOWN),
        is_few=outcomes.queries < FEW,
    )
