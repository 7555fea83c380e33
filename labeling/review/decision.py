"""What a reviewer decided, what the page knew when they did, and why a save may be refused."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from labeling.core.consistency import Conflict
from labeling.models import Verdict


@dataclass(frozen=True, slots=True)
class Mark:
    """A reviewer's word on one claim, with the prompt slot (1 = first) and the span of its chunk it rests on."""

    claim_id: int
    support: str
    slot: int | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The reviewer's word on one query. A blank label with a note is a note; both blank is nothing."""

    label: str = ""
    sub_cause: str = ""
    note: str = ""
    marks: tuple[Mark, ...] = ()
    #: The reviewer saw that label and marks disagree and means it.
    insists: bool = False


@dataclass(frozen=True, slots=True)
class Ticket:
    """What proves that a save belongs to the page it came from."""

    #: Made with the page: the same save twice is one verdict.
    key: UUID
    #: The seat's token; blank pages of an item judged before have none.
    token: UUID | None = None
    #: The reviewer's verdict that the page showed; None = none yet. Another one since makes the page stale.
    seen: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """A committed save. `replayed` = it had been committed before; `revised` = it changed an earlier word."""

    verdict: Verdict
    replayed: bool = False
    revised: bool = False


class NotSavedError(Exception):
    """Nothing was saved. Each subclass says why."""


class InvalidError(NotSavedError):
    """The decision cannot be stored: field -> sentence for the reviewer."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


class StaleError(NotSavedError):
    """The reviewer has said something else about this item since the page was made (another tab, Back)."""

    def __init__(self, current: Verdict | None) -> None:
        super().__init__("changed since this page was opened")
        self.current = current


class GoneError(NotSavedError):
    """The seat ran out and somebody else has the item now."""


class ContradictoryError(NotSavedError):
    """Label and claim marks disagree, and the reviewer was not told yet."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__("label and marks disagree")
        self.conflict = conflict
