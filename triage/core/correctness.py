"""Is an answer correct, and who says so? The file's word, else a rule, else the machine by match, else nobody."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from triage.core.policy import Policy
from triage.core.reference import agrees, match


class SaidBy(StrEnum):
    """Who decided whether an answer is correct."""

    #: The file: gold, a person or another tool, before the import.
    FILE = "file"
    #: Nothing can be answered and the file does not say: declining is right.
    ABSTENTION = "abstention"
    #: The machine, by match with the reference answer. People's verdicts count over it.
    MATCH = "match"
    #: Nobody: undecided, neither failing nor passing.
    NOBODY = ""


@dataclass(frozen=True, slots=True)
class Correctness:
    """Whether an answer is correct (None = undecided), and by whom."""

    value: bool | None
    by: SaidBy


def correctness(in_file: bool | None, *, answerable: bool, abstained: bool) -> Correctness:
    """Return the verdict that counts: the file's; else, where nothing can be answered, whether it abstained."""
    if in_file is not None:
        return Correctness(in_file, SaidBy.FILE)
    if not answerable:
        return Correctness(abstained, SaidBy.ABSTENTION)
    return Correctness(None, SaidBy.NOBODY)


def matched(given: Correctness, answer: str | None, reference: str | None, policy: Policy) -> Correctness:
    """Return what was given, or the machine's word where nobody decided and there is a reference to match.

    An answer that was not produced shares nothing with its reference: not correct.
    """
    found = match(answer, reference) if given.by is SaidBy.NOBODY and policy.match_reference else None
    return given if found is None else Correctness(agrees(found, policy), SaidBy.MATCH)
