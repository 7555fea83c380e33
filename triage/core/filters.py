"""Which queries of a run a reader wants to see: every number on the run page links to such a list."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a query ended."""

    FAILING = "failing"
    CORRECT = "correct"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """A conjunction; an empty field asks nothing."""

    outcome: str = ""
    #: The automatic label, and for `unscored` where it would have gone ("none" = nowhere).
    label: str = ""
    would_be: str = ""
    #: The named value an unscored query lacks.
    missing: str = ""
    sub_cause: str = ""
    near: bool = False
    #: A named oddity, see `flags.Flag`.
    flag: str = ""
    #: Who says whether the answer is correct, see `correctness.SaidBy`.
    correct_by: str = ""
    #: Slice key and value; the value "(none)" = queries without the key.
    slice_key: str = ""
    slice_value: str = ""
    #: A second pair, for a cell of two keys crossed.
    slice_key_2: str = ""
    slice_value_2: str = ""
    #: Words that words of the question, the answer or the id begin with, all of them in any order.
    text: str = ""

    @property
    def is_about_failures(self) -> bool:
        """Say whether only failing queries can match."""
        return bool(self.label or self.would_be or self.missing or self.sub_cause or self.near)
