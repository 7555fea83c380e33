"""Where things stand in a picture: from numbers to the attributes of SVG elements.

Horizontal places are percentages of the drawing's width, so that a bar stretches with its table cell. A value that
does not exist has the empty string as its place, and the template draws nothing there. Templates compute nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

#: Steps a reader counts in: an axis of counts ends at one of these times a power of ten.
NICE_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
HEAT_LEVELS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """One labelled place: `at` is a percentage or a length, `anchor` keeps the words inside the drawing."""

    at: str
    label: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of numbers from `low` to `high`, with the ticks that are labelled."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def share(self, value: float) -> float:
        """Return where `value` stands, 0 at `low` and 1 at `high`; what lies outside stands at the end."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def at(self, value: object) -> str:
        """Return the place of `value` as a percentage, or nothing where there is no number."""
        return f"{self.share(value) * 100:.2f}%" if is_number(value) else ""

    @property
    def grid(self) -> tuple[str, ...]:
        """The places of the ticks that lie inside, for faint lines behind the bars."""
        return tuple(tick.at for tick in self.ticks if tick.anchor == "middle")


@dataclass(frozen=True, slots=True)
class Interval:
    """One bar: a band from low to high, a dot at the value, a ring for the automatic count, a tick for a target."""

    band_at: str
    band_width: str
    dot_at: str
    ring_at: str
    target_at: str
    grid: tuple[str, ...]


def is_number(value: object) -> TypeGuard[float]:
    """Say whether `value` is a finite number; a named reason, None, NaN and infinity are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def axis(low: float, high: float, labelled: Sequence[float], places: int = 1) -> Axis:
    """Make an axis from `low` to `high` with a tick at each of `labelled`; ValueError when it has no length."""
    if not low < high:
        raise ValueError(f"an axis needs low < high, got {low} and {high}")
    bare = Axis(low, high, ())
    return Axis(low, high, tuple(_tick(bare, value, places) for value in labelled))


def _tick(bare: Axis, value: float, places: int) -> Tick:
    anchor = "start" if value <= bare.low else "end" if value >= bare.high else "middle"
    return Tick(bare.at(value), f"{value:.{places}f}".replace("-", "\N{MINUS SIGN}"), anchor)


def share_axis() -> Axis:
    """Make the axis of every ratio: 0 to 1 in quarters."""
    full = axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), places=2)
    return Axis(0.0, 1.0, tuple(Tick(tick.at, tick.label.rstrip("0").rstrip("."), tick.anchor) for tick in full.ticks))


def count_axis(largest: float) -> Axis:
    """Make an axis of counts that starts at 0, holds `largest` and is labelled in two to five round steps."""
    target = max(largest, 1.0) / 4
    power = 10.0 ** math.floor(math.log10(target))
    step = next(nice * power for nice in NICE_STEPS if nice * power >= target)
    step = max(1.0, math.ceil(step)) if step < 10 else step
    top = step * max(1, math.ceil(largest / step))
    labels = [step * k for k in range(round(top / step) + 1)]
    return axis(0.0, top, labels, places=0)


def interval(
    on: Axis,
    value: object,
    low: object = None,
    high: object = None,
    *,
    automatic: object = None,
    target: object = None,
) -> Interval:
    """Place one bar on an axis; every part that has no number is left out."""
    band_at, band_width = _band(on, low, high)
    return Interval(
        band_at=band_at,
        band_width=band_width,
        dot_at=on.at(value),
        ring_at=on.at(automatic),
        target_at=on.at(target),
        grid=on.grid,
    )


def _band(on: Axis, low: object, high: object) -> tuple[str, str]:
    if not (is_number(low) and is_number(high)):
        return "", ""
    return on.at(low), f"{max(0.0, on.share(high) - on.share(low)) * 100:.2f}%"


def heat(value: object, largest: float) -> int:
    """Return the tint of a cell, 0 (none) to 5, by its share of the largest one; no number has no tint."""
    if not is_number(value) or largest <= 0:
        return 0
    return min(HEAT_LEVELS, math.ceil(HEAT_LEVELS * max(0.0, float(value)) / largest))


def largest(values: Iterable[object]) -> float:
    """Return the largest number among `values`, 0 where none is one: what a shared axis must hold."""
    return max((float(value) for value in values if is_number(value)), default=0.0)
