"""A judge as the roster of a project shows it, before it is asked anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from triage.core.judging import JudgeIdentity
from triage.core.trust import Trust


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
    #: Fingerprint of an identity -> whether its word may be relied on in this project.
    trust: Mapping[str, Trust] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[tuple[JudgeIdentity, Trust], ...]:
        """Return each identity with its state."""
        known = self.trust
        return tuple((one, known.get(one.fingerprint, Trust.UNCALIBRATED)) for one in self.seen.identities)
