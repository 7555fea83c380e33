"""A judge as the roster of a project shows it, before it is asked anything."""

from __future__ import annotations

from dataclasses import dataclass

from triage.core.judging import JudgeIdentity


@dataclass(frozen=True, slots=True)
class Seen:
    """Who a judge is, or why it cannot be asked."""

    name: str
    #: "ours", or the operator's kind: "nli", "llm".
    kind: str
    identities: tuple[JudgeIdentity, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A judge that a project may ask. `place` 1 = first; None = not asked."""

    seen: Seen
    place: int | None
