"""Which slice explains most of a difference between two runs. Plain Python.

Accuracy over paired queries changes by the sum over slices of (share of the pairs) x (change within the slice). A
slice that changed like all the others accounts for just its share of the pairs; what it holds beyond that is its
excess, and the slice with the largest excess in the direction of the change is the one to look into.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: A slice with fewer pairs explains nothing: chance is too large.
LEAST_PAIRS = 20

#: Decided pairs of a slice: both right, lost, won, both wrong.
Cells = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Explained:
    """The slice that explains most, as shares of the pairs and of the change."""

    key: str
    #: None: the queries that do not carry the key.
    value: str | None
    n: int
    pairs: int
    #: Queries won minus queries lost, in the slice and in all.
    net: int
    net_in_all: int

    @property
    def share_of_pairs(self) -> float:
        """Return the slice's share of the pairs."""
        return self.n / self.pairs

    @property
    def share_of_change(self) -> float:
        """Return the slice's share of the whole change; over 1 where other slices went the other way."""
        return self.net / self.net_in_all


def explains_most(slices: Mapping[str, Iterable[tuple[str | None, Cells]]]) -> Explained | None:
    """Return the slice, over all keys, whose part of the change exceeds its part of the pairs by most.

    None where accuracy did not change, or where no slice of at least 20 pairs holds more than its part.
    """
    found = [one for key, values in slices.items() for one in _of_key(key, list(values))]
    if not found:
        return None
    best = max(found, key=lambda one: (one.share_of_change - one.share_of_pairs, one.n, one.key, one.value or ""))
    return best if best.share_of_change > best.share_of_pairs else None


def _of_key(key: str, values: list[tuple[str | None, Cells]]) -> list[Explained]:
    pairs = sum(sum(cells) for _, cells in values)
    net_in_all = sum(won - lost for _, (_, lost, won, _) in values)
    if not net_in_all:
        return []
    return [
        Explained(key, value, sum(cells), pairs, cells[2] - cells[1], net_in_all)
        for value, cells in values
        if sum(cells) >= LEAST_PAIRS
    ]
