"""A figure as pages print it: its value, interval and n, and the same drawn."""

from __future__ import annotations

from dataclasses import dataclass

from triage.core.pictures import Interval


@dataclass(frozen=True, slots=True)
class FigureLine:
    """One figure with its interval as a bar; `undefined` says why there is no value."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: str
    bar: Interval
