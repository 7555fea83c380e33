"""Drawings with two axes: threshold curve, reliability diagram, trend. Lengths are units of the SVG's own viewBox.

The same numbers stand in a table beside every chart; a chart is never the only place where a number is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from triage.core.pictures import Tick, is_number


@dataclass(frozen=True, slots=True)
class Plane:
    """A rectangle of the drawing that stands for `x_low..x_high` by `y_low..y_high`; y grows upwards."""

    left: float
    right: float
    top: float
    bottom: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        """Return the length of `value` across; what lies outside stands at the edge."""
        return self.left + _share(value, self.x_low, self.x_high) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the length of `value` from the top; what lies outside stands at the edge."""
        return self.bottom - _share(value, self.y_low, self.y_high) * (self.bottom - self.top)

    def path(self, points: Sequence[tuple[float, float]]) -> str:
        """Return the path through the points, in their order."""
        return " ".join(f"{'L' if k else 'M'}{self.x(x):.1f} {self.y(y):.1f}" for k, (x, y) in enumerate(points))

    def ticks_across(self, values: Sequence[float], places: int = 1) -> tuple[Tick, ...]:
        """Return labelled places along the bottom."""
        return tuple(Tick(f"{self.x(value):.1f}", f"{value:.{places}f}") for value in values)

    def ticks_up(self, values: Sequence[float], places: int = 1) -> tuple[Tick, ...]:
        """Return labelled places along the left side."""
        return tuple(Tick(f"{self.y(value):.1f}", f"{value:.{places}f}", "end") for value in values)


def _share(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One threshold of a sweep: balanced accuracy with its interval, and the two rates it is the mean of."""

    threshold: float
    balanced: float
    low: float
    high: float
    tpr: float
    tnr: float


@dataclass(frozen=True, slots=True)
class Line:
    """One named curve: its path, its look (`ink` and `stroke` are CSS classes) and where its name stands."""

    name: str
    path: str
    ink: str
    stroke: str
    label_y: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line at a threshold with the point it meets on the curve."""

    x: str
    y: str
    label: str
    words_x: str
    anchor: str


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """Everything components/threshold_curve.html draws, in a viewBox of 640 by 320."""

    band: str
    lines: tuple[Line, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    in_use: Mark | None
    chosen: Mark | None


CURVE = Plane(44, 548, 16, 284, 0.0, 1.0, 0.4, 1.0)
#: Names at the right end of the curves keep this distance, so that they stay readable where curves meet.
LABEL_GAP = 16.0


def threshold_curve(sweep: Sequence[SweepPoint], in_use: float, chosen: float | None = None) -> ThresholdCurve:
    """Draw a sweep in the order of its thresholds; ValueError when it is empty."""
    if not sweep:
        raise ValueError("a threshold curve needs at least one threshold")
    points = sorted(sweep, key=lambda point: point.threshold)
    plane = _plane_that_holds(points)
    # The two labels stand on the outer sides of their lines, so that they never meet.
    left, right = ("end", "start") if chosen is None or in_use <= chosen else ("start", "end")
    upper = [(point.threshold, point.high) for point in points]
    lower = [(point.threshold, point.low) for point in reversed(points)]
    return ThresholdCurve(
        band=plane.path(upper + lower) + " Z",
        lines=_lines(plane, points),
        across=plane.ticks_across((0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        up=plane.ticks_up([k / 10 for k in range(round(plane.y_low * 10), 11)]),
        in_use=_mark(plane, points, in_use, f"in use {in_use:.3f}", left),
        chosen=None if chosen is None else _mark(plane, points, chosen, f"chosen {chosen:.3f}", right),
    )


def _plane_that_holds(points: Sequence[SweepPoint]) -> Plane:
    """Start the upward axis at the tenth below the band, at most at 0.4; the two rates may leave it."""
    lowest = min(0.4, math.floor(min(point.low for point in points) * 10) / 10)
    return Plane(CURVE.left, CURVE.right, CURVE.top, CURVE.bottom, 0.0, 1.0, max(0.0, lowest), 1.0)


def _lines(plane: Plane, points: Sequence[SweepPoint]) -> tuple[Line, ...]:
    curves = (
        ("TNR", "wrongq", "dots", [(point.threshold, point.tnr) for point in points]),
        ("balanced acc.", "accent", "", [(point.threshold, point.balanced) for point in points]),
        ("TPR", "still", "dash", [(point.threshold, point.tpr) for point in points]),
    )
    ends = _apart([plane.y(curve[-1][1]) for _, _, _, curve in curves])
    return tuple(
        Line(name, plane.path(curve), ink, stroke, f"{end + 4:.1f}")
        for (name, ink, stroke, curve), end in zip(curves, ends, strict=True)
    )


def _apart(ends: Sequence[float]) -> list[float]:
    """Push label heights down until no two are nearer than LABEL_GAP, keeping their order from the top."""
    placed = list(ends)
    order = sorted(range(len(ends)), key=lambda k: ends[k])
    for above, below in itertools.pairwise(order):
        placed[below] = max(placed[below], placed[above] + LABEL_GAP)
    return placed


def _mark(plane: Plane, points: Sequence[SweepPoint], threshold: float, label: str, anchor: str) -> Mark:
    """Meet the curve at the last swept threshold that is not above `threshold`."""
    met = [point for point in points if point.threshold <= threshold] or points[:1]
    x = plane.x(threshold)
    words = x - 6 if anchor == "end" else x + 6
    return Mark(f"{x:.1f}", f"{plane.y(met[-1].balanced):.1f}", label, f"{words:.1f}", anchor)


@dataclass(frozen=True, slots=True)
class Bin:
    """One score bin: n claims, their mean score, the share people call supported, its interval."""

    n: int
    mean_score: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BinMark:
    """A bin as drawn: the dot, its error bar, the block below that shows how many claims it holds."""

    x: str
    y: str
    low_y: str
    high_y: str
    block_x: str
    block_width: str
    block_y: str
    block_height: str
    n: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """Everything components/reliability.html draws, in a viewBox of 540 by 360."""

    bins: tuple[BinMark, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    diagonal: str


DIAGRAM = Plane(44, 528, 12, 286, 0.0, 1.0, 0.0, 1.0)
BLOCK_BOTTOM, BLOCK_TALLEST = 342.0, 28.0
FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def reliability(bins: Sequence[Bin], bin_count: int = 10) -> Reliability:
    """Draw the bins that hold claims; `bin_count` equal bins span the scores 0 to 1."""
    fullest = max((bin_.n for bin_ in bins), default=0)
    return Reliability(
        bins=tuple(_bin_mark(bin_, fullest, bin_count) for bin_ in bins if bin_.n),
        across=DIAGRAM.ticks_across(FIFTHS),
        up=DIAGRAM.ticks_up(FIFTHS),
        diagonal=DIAGRAM.path([(0.0, 0.0), (1.0, 1.0)]),
    )


def _bin_mark(bin_: Bin, fullest: int, bin_count: int) -> BinMark:
    width = (DIAGRAM.right - DIAGRAM.left) / bin_count
    place = min(bin_count - 1, max(0, math.ceil(bin_.mean_score * bin_count) - 1))
    height = BLOCK_TALLEST * bin_.n / fullest
    return BinMark(
        x=f"{DIAGRAM.x(bin_.mean_score):.1f}",
        y=f"{DIAGRAM.y(bin_.share):.1f}",
        low_y=f"{DIAGRAM.y(bin_.low):.1f}",
        high_y=f"{DIAGRAM.y(bin_.high):.1f}",
        block_x=f"{DIAGRAM.left + place * width + 2:.1f}",
        block_width=f"{width - 4:.1f}",
        block_y=f"{BLOCK_BOTTOM - height:.1f}",
        block_height=f"{height:.1f}",
        n=bin_.n,
    )


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One run of a trend: its short name, a value or nothing, the interval or nothing."""

    name: str
    value: object
    low: object = None
    high: object = None
    #: Measured otherwise than the run before: no line leads here.
    is_break: bool = False


@dataclass(frozen=True, slots=True)
class TrendMark:
    """A run as drawn; `y` is empty where the run has no value, and a gap stays in the line."""

    x: str
    y: str
    low_y: str
    high_y: str
    name: str


@dataclass(frozen=True, slots=True)
class Trend:
    """Everything components/trend.html draws: separate pieces of line, marks, the target's height or nothing.

    `breaks` are places between two runs that were measured differently.
    """

    pieces: tuple[str, ...]
    marks: tuple[TrendMark, ...]
    up: tuple[Tick, ...]
    target_y: str
    breaks: tuple[str, ...] = ()


TREND = Plane(36, 628, 10, 124, 0.0, 1.0, 0.0, 1.0)


def trend(points: Sequence[TrendPoint], target: object = None, top: float = 1.0) -> Trend:
    """Draw ratios from 0 to `top` in the order given, evenly spaced; a missing value is a gap, never a zero.

    No line joins two runs that were measured differently.
    """
    plane = Plane(TREND.left, TREND.right, TREND.top, TREND.bottom, 0.0, 1.0, 0.0, top)
    across = [(k + 0.5) / max(1, len(points)) for k in range(len(points))]
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, point in zip(across, points, strict=True):
        if point.is_break or not is_number(point.value):
            pieces.append([])
        if is_number(point.value):
            pieces[-1].append((x, float(point.value)))
    return Trend(
        pieces=tuple(plane.path(piece) for piece in pieces if len(piece) > 1),
        marks=tuple(_trend_mark(plane, x, point) for x, point in zip(across, points, strict=True)),
        up=plane.ticks_up((0.0, top / 2, top), places=1 if top == 1.0 else 2),
        target_y=_height(plane, target),
        breaks=tuple(
            f"{plane.x(x - 0.5 / len(points)):.1f}" for x, point in zip(across, points, strict=True) if point.is_break
        ),
    )


def _trend_mark(plane: Plane, x: float, point: TrendPoint) -> TrendMark:
    low, high = _height(plane, point.low), _height(plane, point.high)
    return TrendMark(f"{plane.x(x):.1f}", _height(plane, point.value), low, high, point.name)


def _height(plane: Plane, value: object) -> str:
    return f"{plane.y(float(value)):.1f}" if is_number(value) else ""
