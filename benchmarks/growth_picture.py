"""Curves of growth as an SVG: both axes logarithmic, readable on light and dark ground, no script and no typeface."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Curve = Sequence[tuple[int, float]]

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 20, 50
#: Least distance between two names at the right edge.
LINE = 15
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #333 }
.grid { stroke: #ddd } .curve { fill: none; stroke: #1f5fa8; stroke-width: 1.5 } .dot { fill: #1f5fa8 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .grid { stroke: #444 } .curve { stroke: #8ab8ee } .dot { fill: #8ab8ee }
}
"""


def picture(curves: Mapping[str, Curve]) -> str:
    """Return an SVG of name -> (queries, ms) points, ascending; each curve's name stands at its right end."""
    across = _Axis([size for curve in curves.values() for size, _ in curve], LEFT, WIDTH - RIGHT)
    up = _Axis([max(ms, 1.0) for curve in curves.values() for _, ms in curve], HEIGHT - BOTTOM, TOP)
    parts = [*_grid(across, up)]
    for name, curve in curves.items():
        points = [(across.at(size), up.at(max(ms, 1.0))) for size, ms in curve]
        parts.append(f'<polyline class="curve" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')
        parts += [
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(f"{name}, {size:,}: {ms:,.0f} ms")}'
            "</title></circle>"
            for (x, y), (size, ms) in zip(points, curve, strict=True)
        ]
    parts += _names({name: up.at(max(curve[-1][1], 1.0)) for name, curve in curves.items()})
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Processor time by queries of a run">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


class _Axis:
    """A logarithmic axis over whole powers of ten, from one place to another."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._begin, self._end = begin, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    @property
    def powers(self) -> list[int]:
        return [10**power for power in range(self._low, self._high + 1)]


def _grid(across: _Axis, up: _Axis) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    lines = []
    for size in across.powers:
        x = across.at(size)
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        lines.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{size:,}</text>')
    for ms in up.powers:
        y = up.at(ms)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{ms:,}</text>')
    lines.append(f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">queries of the run</text>')
    lines.append(f'<text x="{LEFT - 6}" y="{TOP - 6}" text-anchor="end">ms</text>')
    return lines


def _names(ends: Mapping[str, float]) -> list[str]:
    """Return the names beside the ends of their curves, moved apart where they would cover each other."""
    placed, last = [], -math.inf
    for name, y in sorted(ends.items(), key=lambda end: end[1]):
        last = max(y, last + LINE)
        placed.append(f'<text x="{WIDTH - RIGHT + 10}" y="{last + 4:.1f}">{escape(name)}</text>')
    return placed
