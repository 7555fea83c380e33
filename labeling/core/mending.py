"""Documents that need their owner: superseded ones that are still read, and ones that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Fault(StrEnum):
    """What is wrong with the document."""

    SUPERSEDED = "superseded"
    CONTRADICTING = "contradicting"


class Evidence(StrEnum):
    """Who says so, the strongest first."""

    #: A final verdict names the cause, or a reader marked the contradiction.
    PEOPLE = "people"
    #: The answer's claims rest on superseded chunks alone, or a judge found one claim supported and contradicted.
    MACHINE = "machine"
    #: A superseded chunk stood in the prompt of a failing query whose cause nobody knows.
    SEEN = "seen"


class State(StrEnum):
    """What became of the document."""

    OPEN = "open"
    MENDED = "mended"
    #: Marked as mended, and a later run still shows it.
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class Hurt:
    """A failing query that the document hurts."""

    position: int
    key: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Mark:
    """Somebody's word that the document is mended."""

    by: str
    at: datetime
    note: str


@dataclass(frozen=True, slots=True)
class Faulty:
    """One document, what is wrong with it, and the queries it hurts in file order."""

    document: str
    fault: Fault
    title: str
    url: str
    updated_at: datetime | None
    #: What replaced it, or the documents it contradicts.
    others: tuple[str, ...]
    hurt: tuple[Hurt, ...]
    state: State = State.OPEN
    mark: Mark | None = None

    def by(self, evidence: Evidence) -> int:
        """Return how many queries it hurts on this evidence."""
        return sum(one.evidence is evidence for one in self.hurt)

    @property
    def order(self) -> tuple[object, ...]:
        """Return the place in the list: open before mended, then the most and best evidence first."""
        counts = tuple(-self.by(evidence) for evidence in Evidence)
        return (self.state is State.MENDED, *counts, self.document, self.fault)


def state_of(made_at: datetime, mark: Mark | None) -> State:
    """Return the state of a document that a run made at this time shows."""
    if mark is None:
        return State.OPEN
    return State.REOPENED if made_at > mark.at else State.MENDED


@dataclass(slots=True)
class _Pairing:
    hurt: dict[int, Hurt] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)


def contradicting(told: Iterable[tuple[int, str, Evidence, frozenset[str]]]) -> dict[str, tuple[list[Hurt], list[str]]]:
    """Return document -> (queries it hurts, documents it contradicts), of (position, key, evidence, documents).

    A query told twice counts once, on its best evidence. Fewer than two documents still name the one to look at.
    """
    found: dict[str, _Pairing] = {}
    strength = list(Evidence)
    for position, key, evidence, documents in told:
        for document in documents:
            pairing = found.setdefault(document, _Pairing())
            known = pairing.hurt.get(position)
            if known is None or strength.index(evidence) < strength.index(known.evidence):
                pairing.hurt[position] = Hurt(position, key, evidence)
            pairing.others |= documents - {document}
    return {
        document: (sorted(one.hurt.values(), key=lambda hurt: hurt.position), sorted(one.others))
        for document, one in found.items()
    }
