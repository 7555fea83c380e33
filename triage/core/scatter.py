"""Points with a straight line through them, for a picture; the same numbers stand in the table beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.core.charts import Plane
from triage.core.pictures import Tick, count_axis, largest


@dataclass(frozen=True, slots=True)
class ScatterMark:
    """One point as drawn: its place, and where its words stand."""

    x: str
    y: str
    words: str
    words_y: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Everything components/scatter.html draws, in a viewBox of 640 by 300; `line` empty = no line."""

    marks: tuple[ScatterMark, ...]
    line: str
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


LEFT, RIGHT, TOP, BOTTOM = 56.0, 612.0, 18.0, 264.0


def scatter(points: Sequence[tuple[float, float, str]], line: tuple[float, float] | None = None) -> Scatter:
    """Draw (x, y, words) with both axes from 0; `line` is (intercept, slope), drawn over the width of the picture."""
    wide, high = (count_axis(largest(point[side] for point in points)) for side in (0, 1))
    plane = Plane(LEFT, RIGHT, TOP, BOTTOM, 0.0, wide.high, 0.0, high.high)
    marks = tuple(
        ScatterMark(f"{plane.x(x):.1f}", f"{plane.y(y):.1f}", words, f"{max(TOP, plane.y(y) - 10):.1f}")
        for x, y, words in points
    )
    return Scatter(
        marks=marks,
        line=_line(plane, *line) if line else "",
        across=plane.ticks_across([float(tick.label.replace(",", "")) for tick in wide.ticks], places=0),
        up=plane.ticks_up([float(tick.label.replace(",", "")) for tick in high.ticks], places=0),
    )


def _line(plane: Plane, intercept: float, slope: float) -> str:
    """Return the part of the line that lies in the picture; empty where none does."""
    ends = [(x, intercept + slope * x) for x in (0.0, plane.x_high)]
    if slope:
        ends += [((y - intercept) / slope, y) for y in (0.0, plane.y_high)]
    inside = sorted({(x, y) for x, y in ends if 0 <= x <= plane.x_high and 0 <= y <= plane.y_high})
    return plane.path([inside[0], inside[-1]]) if len(inside) > 1 else ""
