"""What people's verdicts come to, as the machine's pages show it. Who gives them, the machine does not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Corrected:
    """An estimated count of failing queries with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FoundCause:
    """A sub-cause that people's final verdicts name, with what it comes to where a random draw was read."""

    label: str
    sub_cause: str
    confirmed: int
    corrected: Corrected | None
    #: How many queries the estimate is about.
    among: int


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The final verdicts of a run. All counts are of queries."""

    #: automatic label -> queries filed under it that have a final verdict
    reviewed: Mapping[str, int] = field(default_factory=dict)
    #: final label -> failing queries that have it
    confirmed: Mapping[str, int] = field(default_factory=dict)
    #: Passing queries with a final verdict, and those of them found wrong.
    passing_reviewed: int = 0
    missed_failures: int = 0
    #: final label -> what it comes to among all failing queries; empty without an unfiltered random draw
    corrected: Mapping[str, Corrected] = field(default_factory=dict)
    causes: tuple[FoundCause, ...] = ()
    #: What the corrected counts rest on, or why there are none; and whether passing queries were audited.
    drawn: str = ""
    audited: str = ""

    @property
    def final(self) -> int:
        """Return how many failing queries have a final verdict."""
        return sum(self.confirmed.values())


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One verdict of the history of a query, newest first in a list."""

    given_at: datetime
    reviewer: str
    #: Blank = a note without a label.
    label: str
    sub_cause: str
    note: str
    #: first, revised, adjudicated, bulk or imported
    stage: str
    is_blind: bool
    #: Neither replaced nor withdrawn.
    stands: bool


Answer = TypeVar("Answer")


def first_answer(responses: Iterable[tuple[object, object]], kind: type[Answer]) -> Answer | None:
    """Return what the first listener of a signal answered with a value of this kind; None when nobody did."""
    return next((answer for _, answer in responses if isinstance(answer, kind)), None)
