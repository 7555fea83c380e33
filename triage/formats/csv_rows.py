"""Tables as text (CSV, TSV): one record at a time, with what spreadsheets do to them.

A cell in double quotes may hold anything; a quote inside any other cell is a fault of its row, because nobody can
tell what was meant. Python's `csv` guesses there, and has one limit for the whole process; this does neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from triage.core.limits import Limits
from triage.core.records import WHOLE_LINE, RecordError, visible
from triage.core.records.free import storable
from triage.formats.errors import FileError
from triage.formats.json_text import not_utf8
from triage.formats.lines import Line, lines

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_CLOSED = re.compile(r'[^"]*(?:""[^"]*)*"')
_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"?')
_QUOTING = 'Put the whole cell in double quotes and double the quotes inside it ("{""k"": 1}"), or send JSON Lines.'
_SEP = re.compile(r"sep=(.)\r?$", re.IGNORECASE)
_DATE = re.compile(r"\d{1,2}-[A-Z][a-z]{2}|[A-Z][a-z]{2}-\d{2}")
_POWER = re.compile(r"\d(?:[.,]\d+)?E\+\d+")
_SHEET_ERROR = re.compile(r"#(?:NAME\?|REF!|VALUE!|N/A|DIV/0!|NUM!|#+)")


def looks_damaged(cell: str) -> bool:
    """Say whether a spreadsheet may have changed this id: 1E+05, 5-Mar, #NAME?."""
    return any(pattern.fullmatch(cell) for pattern in (_POWER, _DATE, _SHEET_ERROR))


def readable(head: bytes) -> bytes:
    """Return the first bytes of a text without NULs, where they are rare enough for a text with damage in it."""
    return head.replace(b"\0", b"") if head.count(b"\0") <= head.count(b"\n") else head


def delimiter_of(header: str) -> str:
    """Return what separates the cells of a header: the mark it holds most often outside of quotes."""
    bare = _QUOTED.sub("", header)
    return max(DELIMITERS, key=bare.count)


@dataclass(slots=True)
class _Record:
    """The cells of one record, line by line, until no quote is open any more."""

    delimiter: str
    cells: list[str] = field(default_factory=list)
    pending: list[str] | None = None
    #: Number of the cell with a fault (from 0), and the fault.
    fault: tuple[int, str] | None = None
    size: int = 0

    def feed(self, line: str) -> bool:
        """Take the next line; say whether the record is complete."""
        self.size += len(line)
        at = 0
        if self.pending is not None:
            at = self._quoted(line, 0)
        while 0 <= at <= len(line):
            at = self._quoted(line, at + 1) if line[at : at + 1] == '"' else self._bare(line, at)
        return self.pending is None

    def _bare(self, line: str, at: int) -> int:
        end = line.find(self.delimiter, at)
        cell = line[at:] if end < 0 else line[at:end]
        if '"' in cell:
            self.fault = self.fault or (len(self.cells), "a quote inside a cell that is not quoted")
        self.cells.append(cell)
        return -1 if end < 0 else end + 1

    def _quoted(self, line: str, at: int) -> int:
        """Read on inside a quoted cell; return where the next cell begins, or -1 at the end of the line."""
        pieces = self.pending or []
        closed = _CLOSED.match(line, at)
        if closed is None:
            self.pending = [*pieces, line[at:], "\n"]
            return -1
        self.pending = None
        self.cells.append("".join([*pieces, closed[0][:-1]]).replace('""', '"'))
        end = closed.end()
        if end < len(line) and line[end] != self.delimiter:
            self.fault = self.fault or (len(self.cells) - 1, "text after the closing quote of a cell")
            return -1
        return -1 if end == len(line) else end + 1


class Table:
    """A table being read: `columns` at once, then one row after the other.

    Raises:
        FileError: no header, a column name twice, a quote that is never closed.
    """

    def __init__(self, blocks: Iterator[bytes], limits: Limits) -> None:
        self._lines = lines(blocks, limits.line_bytes)
        self._limits = limits
        self.delimiter = ""
        self.columns = self._header()

    def _header(self) -> list[str]:
        for number, text in self._texts():
            if isinstance(text, RecordError):
                raise FileError("header_not_text", text.found, "a header in UTF-8", text.remedy)
            if not self.delimiter and (sep := _SEP.fullmatch(text)):
                self.delimiter = sep[1]
                continue
            self.delimiter = self.delimiter or delimiter_of(text)
            _, cells = self._record(number, text)
            if isinstance(cells, RecordError):
                raise FileError("header", f"a header with {cells.found}", "names of columns", cells.remedy)
            return _names(cells)
        raise FileError("empty", "an empty file", "a table with a header", "Send a file with at least one row.")

    def __iter__(self) -> Iterator[tuple[int, dict[str, str] | RecordError]]:
        for number, text in self._texts():
            if isinstance(text, RecordError):
                yield number, text
                continue
            begin, cells = self._record(number, text)
            yield begin, cells if isinstance(cells, RecordError) else self._row(cells)

    def _texts(self) -> Iterator[tuple[int, str | RecordError]]:
        """Yield the lines that are not blank, as text."""
        for line in self._lines:
            text = self._text(line)
            if isinstance(text, RecordError) or text.strip("\r \ufeff"):
                yield line.number, text

    def _text(self, line: Line) -> str | RecordError:
        if line.data is None:
            found, expected = f"{line.size:,} bytes", f"at most {self._limits.line_bytes:,} bytes"
            return RecordError(WHOLE_LINE, found, expected, "Leave out what is not needed, or send JSON Lines.")
        try:
            return line.data.decode().removesuffix("\r")
        except UnicodeDecodeError as error:
            return not_utf8(line.data, line.offset, error)

    def _record(self, number: int, text: str) -> tuple[int, list[str] | RecordError]:
        """Return the cells of the record that begins with this line, reading on while a quote is open."""
        record = _Record(self.delimiter)
        complete = record.feed(text)
        while not complete:
            line = next(self._lines, None)
            if line is None or record.size > self._limits.line_bytes:
                raise _never_closed(number)
            more = self._text(line)
            if isinstance(more, RecordError):
                return number, more
            complete = record.feed(more)
        return number, record.cells if record.fault is None else self._fault(*record.fault)

    def _fault(self, cell: int, found: str) -> RecordError:
        names = getattr(self, "columns", [])
        return RecordError(
            names[cell] if cell < len(names) and names[cell] else f"column {cell + 1}",
            found,
            "a cell without quotes, or one quoted whole",
            _QUOTING,
        )

    def _row(self, cells: list[str]) -> dict[str, str] | RecordError:
        width = len(self.columns)
        if len(cells) > width and not any(cells[width:]):
            cells = cells[:width]
        if len(cells) != width:
            mark = _NAMES.get(self.delimiter, self.delimiter)
            remedy = f"Put cells that hold a {mark} or a line break in double quotes."
            return RecordError(WHOLE_LINE, f"{len(cells)} cells", f"{width} cells, as in the header", remedy)
        return dict(zip(self.columns, cells, strict=True))


def _names(cells: list[str]) -> list[str]:
    names = [storable(cell.strip().removeprefix("\ufeff")) for cell in cells]
    if any("\r" in name for name in names):
        found = "lines that end in carriage returns alone"
        raise FileError("carriage_returns", found, "lines ending in \\n", "Save the file with today's line endings.")
    for name in names:
        if name and names.count(name) > 1:
            found = f"the column “{visible(name)}” twice"
            raise FileError("column_twice", found, "each column once", "Rename or remove one of them.")
    return names


def _never_closed(number: int) -> FileError:
    return FileError(
        "open_quote",
        f"a quote opened on line {number:,} that is never closed",
        "every quoted cell closed",
        "Double the quotes inside cells, or send JSON Lines.",
    )
