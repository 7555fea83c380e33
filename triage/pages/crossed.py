"""A run by two slice keys at once: a heat table of accuracy or of one class, and what the mix does to the total."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from triage.core.crossing import NOTHING, Cell, at_mix, equal_weight, total
from triage.core.intervals import wilson
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.pictures import heat
from triage.models import Run
from triage.models.queries import WITHOUT_SLICE
from triage.models.slices import CrossedRow, crossed_rows, slice_keys

ACCURACY = "accuracy"
#: What a cell may show: the share of right answers, or of all queries filed under a class.
SHOWN = (ACCURACY, *map(str, FOUR_CLASSES), UNSCORED)
#: Values of each key shown, the largest first; the rest are put together.
MOST_ROWS, MOST_COLUMNS = 30, 8
REST = "all others"


@dataclass(frozen=True, slots=True)
class CrossedCell:
    """One pair of values: n decided (or all, for a class), the share, its interval, its tint."""

    value: str
    cell: Cell
    low: float | None
    high: float | None
    tint: int
    is_linked: bool


@dataclass(frozen=True, slots=True)
class CrossedLine:
    """One value of the first key over all values of the second."""

    value: str
    cells: tuple[CrossedCell, ...]
    whole: CrossedCell
    #: The share if the row had the whole run's mix of the second key; None where a value is missing.
    mixed: float | None
    is_linked: bool


@dataclass(frozen=True, slots=True)
class CrossedPage:
    """Everything the page prints."""

    run: Run
    keys: tuple[str, ...]
    first: str
    second: str
    shown: str
    columns: tuple[str, ...]
    lines: tuple[CrossedLine, ...]
    foot: CrossedLine | None
    #: The mean of the rows that are not few, each counted once.
    equal: float | None
    choices: tuple[str, ...] = SHOWN

    @property
    def is_accuracy(self) -> bool:
        """Say whether the cells show accuracy."""
        return self.shown == ACCURACY


def crossed_page(run: Run, first: str, second: str, shown: str) -> CrossedPage:
    """Cross two keys; what the run does not carry becomes its first two keys, what cannot be shown accuracy."""
    keys = tuple(slice_keys(run))
    one = first if first in keys else next(iter(keys), "")
    others = [key for key in keys if key != one]
    two = second if second in others else next(iter(others), "")
    measure = shown if shown in SHOWN else ACCURACY
    rows = crossed_rows(run, one, two) if one else []
    return _page(run, keys, (one, two), measure, rows)


def _cell(row: CrossedRow, shown: str) -> Cell:
    outcomes = row.outcomes
    if shown == ACCURACY:
        return Cell(outcomes.queries, outcomes.decided, outcomes.correct)
    return Cell(outcomes.queries, outcomes.queries, row.classes[shown])


def _page(
    run: Run, keys: tuple[str, ...], chosen: tuple[str, str], shown: str, rows: Sequence[CrossedRow]
) -> CrossedPage:
    firsts = _kept([(_name(row.first), row.outcomes.queries) for row in rows], MOST_ROWS)
    seconds = _kept([(_name(row.second), row.outcomes.queries) for row in rows], MOST_COLUMNS)
    table: defaultdict[str, dict[str, Cell]] = defaultdict(dict)
    for row in rows:
        at = table[firsts.get(_name(row.first), REST)]
        column = seconds.get(_name(row.second), REST)
        at[column] = at.get(column, NOTHING) + _cell(row, shown)
    columns = tuple(dict.fromkeys(seconds.values())) if chosen[1] else ()
    mix = {column: total([cells.get(column, NOTHING) for cells in table.values()]) for column in columns}
    largest = max((cell.share or 0.0 for cells in table.values() for cell in cells.values()), default=0.0)
    tops = 1.0 if shown == ACCURACY else largest
    names = list(dict.fromkeys(firsts.values()))
    lines = tuple(_line(name, table[name], columns, mix, tops) for name in names)
    wholes = [line.whole.cell for line in lines]
    foot = _line("All", mix or {"": total(wholes)}, columns, mix, tops, whole=total(wholes)) if lines else None
    return CrossedPage(run, keys, *chosen, shown, columns, lines, foot, equal_weight(wholes))


def _name(value: str | None) -> str:
    return WITHOUT_SLICE if value is None else value


def _kept(values: Sequence[tuple[str, int]], most: int) -> dict[str, str]:
    """Return value -> the name it is shown under, the largest first; those beyond `most` share one."""
    sizes: defaultdict[str, int] = defaultdict(int)
    for value, queries in values:
        sizes[value] += queries
    ordered = sorted(sizes, key=lambda value: (value == WITHOUT_SLICE, -sizes[value], value))
    return {value: value if place < most else REST for place, value in enumerate(ordered)}


def _line(
    name: str,
    cells: Mapping[str, Cell],
    columns: Sequence[str],
    mix: Mapping[str, Cell],
    tops: float,
    whole: Cell | None = None,
) -> CrossedLine:
    shown = tuple(_drawn(column, cells.get(column, NOTHING), tops) for column in columns)
    everything = _drawn("", whole or total(list(cells.values())), tops)
    return CrossedLine(name, shown, everything, at_mix(cells, mix) if mix else None, is_linked=name != REST)


def _drawn(value: str, cell: Cell, tops: float) -> CrossedCell:
    low, high = wilson(cell.k, cell.n) if cell.n else (None, None)
    tint = 0 if cell.is_few else heat(cell.share, tops)
    return CrossedCell(value, cell, low, high, tint, is_linked=value != REST and bool(cell.queries))
