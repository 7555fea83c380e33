"""Several people's words on one query, beside each other, with or without names."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from labeling.models import ClaimVerdict, Verdict
from labeling.models.verdicts import Stage
from triage.models import Claim, Query


@dataclass(frozen=True, slots=True)
class Voice:
    """One person's current word. `name` is a letter unless names were asked for."""

    name: str
    label: str
    sub_cause: str
    note: str
    was_blind: bool
    #: It changed after the reveal: what it said first.
    first: str
    #: Marks by claim number.
    marks: dict[int, str]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A query with what everybody said, and the final word where there is one."""

    query: Query
    voices: tuple[Voice, ...]
    claims: tuple[str, ...]
    ruling: Verdict | None


def side_by_side(query: Query, *, names: bool) -> SideBySide:
    """Return the current verdicts of a query, oldest reviewer first."""
    rows = list(Verdict.objects.filter(query=query, withdrawn=False).select_related("reviewer").order_by("pk"))
    own: dict[str, list[Verdict]] = defaultdict(list)
    for row in rows:
        if row.stage not in {Stage.ADJUDICATED, Stage.ROUND}:
            own[row.imported_reviewer or str(row.reviewer_id)].append(row)
    claims = list(Claim.objects.filter(query=query, is_current=True).order_by("position", "pk"))
    marks = _marks(claims)
    voices = [
        _voice(given, f"Reviewer {_letter(place)}" if not names else _name(given[-1]), marks[person])
        for place, (person, given) in enumerate(own.items())
        if any(row.is_current for row in given)
    ]
    ruling = next((row for row in rows if row.stage == Stage.ADJUDICATED and row.is_current), None)
    return SideBySide(query, tuple(voices), tuple(claim.text for claim in claims), ruling)


def _voice(given: list[Verdict], name: str, marks: dict[int, str]) -> Voice:
    """Return one person's word from all they said."""
    now = next(row for row in given if row.is_current)
    first = given[0]
    return Voice(
        name=name,
        label=now.label,
        sub_cause=now.sub_cause,
        note=now.note,
        was_blind=first.blind,
        first=first.label if first.label != now.label else "",
        marks=marks,
    )


def _name(row: Verdict) -> str:
    return row.imported_reviewer or (row.reviewer.get_username() if row.reviewer else "somebody who left")


def _letter(place: int) -> str:
    """Return A to Z, then numbers."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def _marks(claims: list[Claim]) -> dict[str, dict[int, str]]:
    """Return person -> claim number -> current mark."""
    numbers = {claim.pk: number for number, claim in enumerate(claims, 1)}
    found: dict[str, dict[int, str]] = defaultdict(dict)
    rows = ClaimVerdict.objects.filter(claim__in=claims, is_current=True).order_by("pk")
    for claim, reviewer, imported, label in rows.values_list("claim_id", "reviewer_id", "imported_reviewer", "label"):
        found[imported or str(reviewer)][numbers[claim]] = label
    return found
