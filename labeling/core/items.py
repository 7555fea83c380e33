"""What a judge and people said of the same items, ready to be compared. Light: pages list these too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """One item with the labels its raters gave, in any order; a rater who did not rate is simply not there."""

    cluster: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelPair:
    """One item with two words on it: `left` the person's, `right` the judge's (or a second person's)."""

    cluster: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Item:
    """One item with both words. `human` None = people are split evenly; `judge` None = no usable word."""

    #: Id of the query in its file: decides the split, and is the cluster.
    query: str
    #: Identifies the item wherever the file is imported: query, claim text, chunk.
    key: str
    human: bool | None
    judge: bool | None
    score: float | None
    #: Where the item stands here: run key, position of the query, claim and chunk.
    run: str = ""
    position: int = 0
    claim_id: int = 0
    claim: str = ""
    chunk: str = ""
    #: First blind label of each reviewer, in order of their keys.
    labels: tuple[tuple[str, str], ...] = ()
    final: str = ""
    adjudicated: bool = False
    note: str = ""
    slices: tuple[tuple[str, str], ...] = ()
    gold_version: int = 1

    @property
    def is_usable(self) -> bool:
        """Say whether both words are there."""
        return self.human is not None and self.judge is not None

    @property
    def cell(self) -> str:
        """Return tp, fp, fn or tn; blank where a word is missing."""
        if not self.is_usable:
            return ""
        return ("t" if self.human == self.judge else "f") + ("p" if self.judge else "n")

    @property
    def distance(self) -> float:
        """Return how far the judge was from people: 1 = certain of the opposite; labels without a score count 1."""
        if self.human == self.judge:
            return 0.0
        if self.score is None:
            return 1.0
        return abs(self.score - float(self.human is True))


def majority(positives: Sequence[bool]) -> bool | None:
    """Return what more than half said, or None for an even split."""
    yes = sum(positives)
    return None if 2 * yes == len(positives) else 2 * yes > len(positives)


def worst_first(items: Iterable[Item]) -> list[Item]:
    """Return the disagreements, those furthest from people first, then by key."""
    return sorted((item for item in items if item.is_usable and item.human != item.judge), key=_by_distance)


def _by_distance(item: Item) -> tuple[float, str]:
    return -item.distance, item.key
