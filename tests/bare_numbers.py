"""Reads a page as a reader does, and names what no page may print: words for missing numbers, rates without an n.

A rate is 0.xx, 0.xxx or x %. In a table its row needs a filled column of sizes, or the table counts up to a Total;
where the table has no such column, its panel has to say the n. In running text the same block has to say it.
Thresholds, scores and p values are no rates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

#: What a missing number looks like when nobody gave it a name.
UNNAMED = re.compile(
    r"(?<![\w.-])(?:nan|-?inf|infinity|undefined)(?![\w-])|(?<!\w)(?:NaN|None|NULL)(?!\w)"
    r"|(?<![\w-])[-\N{MINUS SIGN}]0(?:\.0+)?(?!\d|\.\d)"
)
RATE = re.compile(r"(?<![\w.,])\N{MINUS SIGN}?[01]\.\d{2,3}(?!\d|\.\d)|(?<![\w.,])\d{1,3}(?:\.\d)?[\s\xa0]%")
#: Words before a number that say it is no rate of anything counted.
NO_RATE = re.compile(
    r"(?:in use|threshold|at|At least|below|than|ECE, 10 bins)\s*[01]\.\d+|95[\s\xa0]%|within 5[\s\xa0]%|p [<0]\S*"
)
SIZE = re.compile(
    r"\bn\s[\d,]+|(?:\bof|\bsum to|=)\s(?:the\s)?[\d,]+"
    r"|\b[\d,]+\s(?:scores?|labels?|quer(?:y|ies)|reads?|items?|pairs?|paired|final)"
)
SIZE_HEADS = {"n", "labels", "judged", "pairs", "queries", "failed", "reads"}
NOT_RATES = {"threshold", "score", "score bin", "p", "p, holm", "k", "expected half-width", "what it moved", "policy"}
BLOCKS = {"p", "li", "figcaption", "h2", "h3"}
VOID = {"input", "br", "img", "meta", "link", "use", "hr", "path", "line", "circle", "rect", "polyline", "polygon"}


@dataclass
class Table:
    """Heads, and rows of (text, how many columns it spans)."""

    heads: list[str] = field(default_factory=list)
    rows: list[list[tuple[str, int]]] = field(default_factory=list)


@dataclass
class Panel:
    """One section of a page: its tables and all its text."""

    text: str = ""
    tables: list[Table] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects text by block, and tables by the panel they stand in."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.panels, self.blocks, self.texts = [Panel()], [""], [""]
        self.open_panels = [self.panels[0]]
        self.cell: tuple[str, int] | None = None
        self.block: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        self.stack.append(tag)
        if tag == "section":
            self.panels.append(Panel())
            self.open_panels.append(self.panels[-1])
        elif tag == "table":
            self.open_panels[-1].tables.append(Table())
        elif tag == "tr":
            self._table().rows.append([])
        elif tag in ("td", "th") and "table" in self.stack:
            self.cell = ("", int(dict(attrs).get("colspan") or 1))
        elif (tag in BLOCKS or self.stack[-2:] == ["dl", "div"]) and "table" not in self.stack:
            self.blocks.append("")
            self.block = len(self.stack)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.stack[-1] == tag, f"</{tag}> closes <{self.stack[-1]}>"
        if tag in ("td", "th") and self.cell is not None:
            text, span = " ".join(self.cell[0].split()), self.cell[1]
            table = self._table()
            if "thead" in self.stack:
                table.heads.append(text)
            else:
                table.rows[-1].append((text, span))
            self.cell = None
        elif tag == "section":
            self.open_panels.pop()
        if self.block == len(self.stack):
            self.block = None
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        if {"script", "style", "svg", "label", "option", "title"} & set(self.stack):
            return
        self.texts.append(data)
        self.open_panels[-1].text += data
        if self.cell is not None:
            self.cell = (self.cell[0] + data, self.cell[1])
        elif self.block is not None:
            self.blocks[-1] += data

    def _table(self) -> Table:
        return self.open_panels[-1].tables[-1]


def bare_numbers(page: str) -> list[str]:
    """Return what a page prints that it must not; empty for a good page."""
    reader = _Reader()
    reader.feed(page)
    found = [f"unnamed: {match.group()!r} in {_around(page, match)!r}" for match in UNNAMED.finditer(_no_tokens(page))]
    for panel in reader.panels:
        found += [fault for table in panel.tables for fault in _table_faults(table, panel)]
    return found + [
        f"rate without n: {' '.join(text.split())[:160]!r}"
        for text in reader.blocks
        if RATE.search(NO_RATE.sub("", text)) and not SIZE.search(text)
    ]


def _no_tokens(page: str) -> str:
    """Blank what is random: tokens and fingerprints, without moving what comes after."""
    return re.sub(r'(?:value|content|nonce)="[^"]{30,}"', lambda match: " " * len(match.group()), page)


def _around(page: str, match: re.Match[str]) -> str:
    return page[max(0, match.start() - 40) : match.end() + 20]


def _table_faults(table: Table, panel: Panel) -> list[str]:
    sizes = [place for place, head in enumerate(table.heads) if head.lower() in SIZE_HEADS]
    plain = [place for place, head in enumerate(table.heads) if head.lower() in NOT_RATES]
    faults = []
    closes = any(row and row[0][0] == "Total" for row in table.rows)  # counts, and the total they are shares of
    for row in [] if closes else table.rows:
        cells = _by_column(row)
        rated = [text for place, text in cells.items() if place not in plain and RATE.search(NO_RATE.sub("", text))]
        has_size = any(re.search(r"\d", cells.get(place, "")) for place in sizes)
        in_cell = all(SIZE.search(text) for text in rated)
        if rated and not has_size and not in_cell and (sizes or not SIZE.search(panel.text)):
            faults.append(f"row without n: {' | '.join(cells.values())!r} under {table.heads}")
    return faults


def _by_column(row: list[tuple[str, int]]) -> dict[int, str]:
    cells, place = {}, 0
    for text, span in row:
        cells[place] = text
        place += span
    return cells
