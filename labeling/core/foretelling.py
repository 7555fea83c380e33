"""Does a number known before the answer is judged foretell that it fails? AUROC, fifths, and a line for a caveat.

Plain Python. Sources: Hanley and McNeil 1982 (AUROC as a share of pairs); DeLong, DeLong and Clarke-Pearson 1988 (its
variance, by placements); the interval on the logit scale. The line is chosen on one half and reported on the other.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from labeling.core.threshold import best, sweep
from triage.core.intervals import wilson, z_of

FIFTHS = 5
#: Beyond this a share is 0 or 1 to every printed digit, and its exponential would overflow.
MOST_LOGIT = 500.0
#: What an AUROC is when a number says nothing.
NOTHING = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """One decided query: how sure the signal was (higher is surer), and whether the answer failed."""

    sure: float
    failed: bool
    #: The half its id falls into: the line is chosen on `dev` and reported on the rest.
    dev: bool


@dataclass(frozen=True, slots=True)
class Auroc:
    """The chance that a right answer's signal is surer than a failing one's; None where one kind is missing."""

    value: float | None
    low: float | None
    high: float | None
    failing: int
    right: int

    @property
    def n(self) -> int:
        """Return how many queries it rests on."""
        return self.failing + self.right

    @property
    def foretells(self) -> bool | None:
        """Say whether its interval lies above .5; None = not known."""
        return None if self.low is None else self.low > NOTHING


def auroc(cases: Sequence[Case]) -> Auroc:
    """Return the AUROC with its 95 % interval; ties count half."""
    failing = sorted(case.sure for case in cases if case.failed)
    right = sorted(case.sure for case in cases if not case.failed)
    if not failing or not right:
        return Auroc(None, None, None, len(failing), len(right))
    above = [_below(failing, sure) for sure in right]
    below = [1.0 - _below(right, sure) for sure in failing]
    value = fmean(above)
    low, high = _interval(value, above, below)
    return Auroc(value, low, high, len(failing), len(right))


def _below(ordered: Sequence[float], value: float) -> float:
    """Return the share of `ordered` below a value, ties counted half."""
    return (bisect_left(ordered, value) + bisect_right(ordered, value)) / (2 * len(ordered))


def _interval(value: float, above: Sequence[float], below: Sequence[float]) -> tuple[float | None, float | None]:
    fewer = min(len(above), len(below))
    if value in (0.0, 1.0):
        return wilson(round(value * fewer), fewer)
    if fewer < 2:
        return None, None
    spread = math.sqrt(_variance(above) / len(above) + _variance(below) / len(below))
    centre, half = math.log(value / (1 - value)), z_of() * spread / (value * (1 - value))
    return _share(centre - half), _share(centre + half)


def _variance(values: Sequence[float]) -> float:
    """Return the sample variance; `statistics.variance` adds fractions and takes five times as long."""
    mean = fmean(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-MOST_LOGIT, min(MOST_LOGIT, logit))))


@dataclass(frozen=True, slots=True)
class Fifth:
    """A fifth of the queries by signal; equal signals stay together, so that fifths may differ in size."""

    lowest: float
    highest: float
    n: int
    failing: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """Return the failure rate."""
        return self.failing / self.n


def fifths(cases: Sequence[Case]) -> tuple[Fifth, ...]:
    """Return the fifths, the least sure first."""
    ordered = sorted(cases, key=lambda case: case.sure)
    found: list[list[Case]] = []
    for place, case in enumerate(ordered):
        starts = not found or place >= len(found) * len(ordered) / FIFTHS
        if starts and (not found or found[-1][-1].sure != case.sure):
            found.append([])
        found[-1].append(case)
    return tuple(_fifth(part) for part in found)


def _fifth(part: Sequence[Case]) -> Fifth:
    failing = sum(case.failed for case in part)
    return Fifth(part[0].sure, part[-1].sure, len(part), failing, *wilson(failing, len(part)))


@dataclass(frozen=True, slots=True)
class Side:
    """The queries on one side of a line."""

    n: int
    failing: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """Return the failure rate."""
        return self.failing / self.n


@dataclass(frozen=True, slots=True)
class Caveat:
    """A line: answers less sure than it get a caveat. Both sides are of the half it was not chosen on."""

    line: float
    marked: Side
    rest: Side

    @property
    def share(self) -> float:
        """Return the share of answers that get the caveat."""
        return self.marked.n / (self.marked.n + self.rest.n)


def caveat(cases: Sequence[Case]) -> Caveat | None:
    """Return the line of highest balanced accuracy on `dev`; None where the signal foretells nothing on the rest."""
    dev, test = [case for case in cases if case.dev], [case for case in cases if not case.dev]
    chosen = best(sweep([case.sure for case in dev], [not case.failed for case in dev]))
    if chosen is None or not auroc(test).foretells:
        return None
    sides = [[case for case in test if (case.sure < chosen.threshold) is marked] for marked in (True, False)]
    if not all(sides):
        return None
    marked, rest = (_side(part) for part in sides)
    return Caveat(chosen.threshold, marked, rest)


def _side(part: Sequence[Case]) -> Side:
    failing = sum(case.failed for case in part)
    return Side(len(part), failing, *wilson(failing, len(part)))
