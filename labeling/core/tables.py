"""A report as data: sections of tables and paragraphs, cells of text and numbers. Light: web processes may import it.

A value that does not exist is a named state, never blank, 0 or NaN. `markdown`, `csv_text` and `html_page` render
the same data; text that comes from files is a `Text`, so that each of them knows what to escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MINUS = "\N{MINUS SIGN}"
EN_DASH = "\N{EN DASH}"
NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Text:
    """Words that may come from a file; `code` sets them in a fixed-width face."""

    words: str
    code: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number for people (`shown`, already spelled) and for machines (`value`)."""

    value: float
    shown: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """No value, and why: `n/a`, `not comparable`, `no random draw` ..."""

    reason: str


Cell = Text | Number | Missing


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title; `key` is its name in CSV; numbers stand on the right."""

    title: str
    key: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows of cells; `total` rows are set off."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text made of pieces, so that what comes from a file is escaped and what is ours is not."""

    pieces: tuple[Cell | str, ...]
    small: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of paragraphs."""

    items: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it."""

    title: str
    blocks: tuple[Table | Paragraph | Listing, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: Paragraph
    lead: Paragraph
    sections: tuple[Section, ...]
    foot: tuple[Paragraph, ...]


def spelled(value: float, places: int = 0, *, signed: bool = False) -> str:
    """Spell a finite number: thousands separated, a real minus, never a negative zero."""
    text = f"{value:,.{places}f}"
    digits = text.lstrip("-")
    if not digits.strip("0.,"):
        return digits
    if text.startswith("-"):
        return MINUS + digits
    return f"+{text}" if signed else text


def p_words(p: float) -> str:
    """Return a p-value as it is read: never a bare zero."""
    return "under 0.0001" if p < 0.0001 else spelled(p, 4)


def number(value: float | None, places: int = 0, *, reason: str = "n/a", strong: bool = False) -> Number | Missing:
    """Return the cell of a number, or of its absence."""
    return Missing(reason) if value is None else Number(value, spelled(value, places), strong)


def percent(value: float | None, *, reason: str = "n/a") -> Number | Missing:
    """Return the cell of a share of 0 to 1 as a percentage."""
    return Missing(reason) if value is None else Number(value, f"{spelled(value * 100, 1)}{NO_BREAK}%")


def points(value: float | None, *, reason: str = "n/a") -> Number | Missing:
    """Return the cell of a difference of shares in percentage points."""
    return Missing(reason) if value is None else Number(value, f"{spelled(value * 100, 1, signed=True)}{NO_BREAK}pp")


def span(low: float | None, high: float | None, places: int, *, reason: str = "n/a") -> Text | Missing:
    """Return the cell of an interval."""
    if low is None or high is None:
        return Missing(reason)
    ends = spelled(low, places), spelled(high, places)
    return Text((" to " if MINUS in "".join(ends) else EN_DASH).join(ends))


def percent_span(low: float | None, high: float | None, *, reason: str = "n/a") -> Text | Missing:
    """Return the cell of an interval of shares of 0 to 1, in per cent."""
    return Missing(reason) if low is None or high is None else span(100 * low, 100 * high, 1)


def headed(first: str, titles: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of a table whose first cells are words and whose others are numbers."""
    return (Column(first), *(Column(title, is_number=True) for title in titles))


def joined(cells: Sequence[Cell | str], between: str = ", ") -> tuple[Cell | str, ...]:
    """Return the pieces with a separator of ours between them."""
    pieces: list[Cell | str] = []
    for cell in cells:
        pieces += [between, cell] if pieces else [cell]
    return tuple(pieces)
