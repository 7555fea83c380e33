"""Two slice keys crossed, and what a pooled number owes to the mix of its queries. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

#: A slice or a cell under this n is greyed: no comparison rests on it.
FEW = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """The queries of one pair of slice values: `k` of `n` have what is asked about, of `queries` in all."""

    queries: int
    n: int
    k: int

    @property
    def share(self) -> float | None:
        """Return k / n; None where nothing is decided."""
        return self.k / self.n if self.n else None

    @property
    def is_few(self) -> bool:
        """Say whether too few queries are decided to be compared."""
        return self.n < FEW

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.queries + other.queries, self.n + other.n, self.k + other.k)


NOTHING = Cell(0, 0, 0)


def total(cells: Sequence[Cell]) -> Cell:
    """Return the cells put together."""
    return sum(cells, NOTHING)


def at_mix(row: Mapping[str, Cell], mix: Mapping[str, Cell]) -> float | None:
    """Return the share of a row if its queries were mixed as those of `mix` are (direct standardisation).

    None where a value that the mix holds is missing from the row: there is nothing to put in its place.
    """
    whole = sum(cell.n for cell in mix.values())
    if not whole or any(cell.n and row.get(value, NOTHING).share is None for value, cell in mix.items()):
        return None
    weighted = ((cell.n / whole, row[value].share) for value, cell in mix.items() if cell.n)
    return sum(weight * share for weight, share in weighted if share is not None)


def equal_weight(cells: Sequence[Cell]) -> float | None:
    """Return the mean of the shares of the cells that are not few, each counted once; None where there is none.

    Beside the pooled share it says what the mix does: traffic that is mostly easy makes the pooled share look good.
    """
    shares = [cell.share for cell in cells if not cell.is_few and cell.share is not None]
    return fmean(shares) if shares else None
