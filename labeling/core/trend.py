"""Releases over time: where one line may be drawn, and where the measuring itself changed. Plain Python."""

from __future__ import annotations

from dataclasses import dataclass

from triage.core.closure import BY_FILE


@dataclass(frozen=True, slots=True)
class Definition:
    """What a run's numbers mean: numbers of two runs are on one line only where all of it is the same."""

    policy: str
    judges: frozenset[str]
    gold_version: int
    #: Version of the evaluation set as its file told it; blank = not said.
    set_version: str
    #: Who says which answers are correct: the file, or the machine by match with the reference.
    correct_by: str = BY_FILE


def changes(before: Definition, now: Definition) -> tuple[str, ...]:
    """Return in words what was defined otherwise before; empty = the numbers may share a line."""
    found = []
    if before.policy != now.policy:
        found.append(f"policy {before.policy or 'not said'} to {now.policy or 'not said'}")
    if before.judges != now.judges:
        found.append("other judges")
    if before.gold_version != now.gold_version:
        found.append(f"gold v{before.gold_version} to v{now.gold_version}")
    if before.set_version != now.set_version:
        found.append(f"evaluation set {before.set_version or 'not said'} to {now.set_version or 'not said'}")
    if before.correct_by != now.correct_by:
        found.append(f"correct {before.correct_by} to {now.correct_by}")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ClassCount:
    """One class of one release: a count of failing queries, its interval, and the same as shares of all queries.

    The interval of a corrected count says what reading only a sample leaves open. An automatic count has none of
    its own: its share has the Wilson interval of the questions being a sample.
    """

    count: float
    low: float | None
    high: float | None
    share: float | None
    share_low: float | None
    share_high: float | None
    is_corrected: bool
