"""Our own format, version 1: a stream of bytes -> records, row errors and notices, in one pass and flat memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import (
    WHOLE_LINE,
    AnyRecord,
    Notice,
    RecordError,
    Remarks,
    RowError,
    parse,
)
from triage.core.records.book import Book
from triage.core.records.ledger import Details
from triage.core.records.plain import AnyQuery, PlainQuery, plain_query
from triage.formats.encoding import NAMES, as_utf8, detect
from triage.formats.errors import FileError
from triage.formats.json_text import decode, strict
from triage.formats.kinds import foreign, refuse, tool_of
from triage.formats.lines import ArrayCutter, Line, lines
from triage.formats.stream import Readable, Source

HEAD = 64 * 1024
TITLE = "run file 1"


@dataclass(frozen=True, slots=True)
class Item:
    """One record as it was read. `chunks`: what its line was the first to say about chunks, by chunk id."""

    line: int
    record: AnyRecord | PlainQuery
    chunks: dict[str, Details] = field(default_factory=dict)
    #: Bytes of the line.
    size: int = 0


@dataclass(frozen=True, slots=True)
class Parsed:
    """One record's JSON with the line it stands on, or the fault that keeps it out.

    `storable_text`: its text is known to hold no NUL and no half of a surrogate pair.
    """

    line: int
    value: Any
    storable_text: bool = False
    #: Bytes it took in the file; 0 where its format does not tell.
    size: int = 0
    #: Nothing is odd about its JSON: storable, finite, no key twice.
    strict: bool = False


class RunFile:
    """One run file being read. Iterate it once; what it learned over the whole file is there afterwards.

    Raises (while iterating):
        FileError: the file as a whole is not read; nothing of it may be kept.
    """

    def __init__(self, stream: Readable, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._source = Source(stream, limits)
        self._book = Book()
        self._notices = self._book.notices
        #: Hand out plain queries as `PlainQuery`, for who writes them and asks nothing else of them: much faster.
        self.quick = False
        self._kept: list[RowError] = []
        self.encoding = ""
        #: The format the content shows, in words for people, where another one was asked for; else blank.
        self.looks_like = ""
        self.lines = 0
        self.faulty = 0
        #: Lines of each kind that were accepted.
        self.counts = self._book.counts

    def __iter__(self) -> Iterator[Item | RowError]:
        try:
            yield from self._items()
        except FileError as error:
            raise (error.pointing_to(self.looks_like) if self.looks_like else error) from None

    def _items(self) -> Iterator[Item | RowError]:
        for parsed in self._objects():
            self.lines += 1
            item = self._read(parsed)
            if isinstance(item, RowError):
                self.faulty += 1
                if len(self._kept) < self._limits.errors_kept:
                    self._kept.append(item)
            if item is not None:
                yield item
        self._finish()

    @property
    def bytes_taken(self) -> int:
        """Bytes of the file read so far, before decompression: what progress is measured in."""
        return self._source.taken

    @property
    def errors(self) -> list[RowError]:
        """The row errors so far; beyond `Limits.errors_kept` they are counted in `faulty` only."""
        return self._kept

    def notices(self) -> list[Notice]:
        """Return the warnings, complete once the file has been read to its end."""
        return self._notices.all()

    def content_hash(self) -> bytes:
        """Return the hash of what the accepted records say, complete once the file has been read to its end."""
        return self._book.content_hash()

    def _objects(self) -> Iterator[Parsed]:
        """Yield the file's records as JSON, each as an object of a run file; what reads other formats begins here."""
        for line in self._records():
            if self.quick and line.data and (plain := strict(line.data, self._limits)) is not None:
                yield Parsed(line.number, plain, True, line.size, strict=True)
                continue
            try:
                value, clean = self._decoded(line)
            except RecordError as error:
                value, clean = error, True
            yield Parsed(line.number, value, clean, line.size)

    def _as_text(self, head: bytes, blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
        """Return the first bytes of the file, and all of it, as UTF-8 without byte order mark."""
        encoding, mark = detect(head)
        self.encoding = NAMES[encoding]
        if encoding != "utf-8":
            self._notices.add("encoding", (self.encoding,))
        return peek(as_utf8(_without(blocks, mark), encoding))

    def _records(self) -> Iterator[Line]:
        """Yield the file's records that are not blank, whatever it is wrapped in."""
        head, blocks = self._as_text(*peek(self._source.blocks()))
        if not head.strip():
            return
        if (reason := foreign(head)) is not None:
            raise reason
        if head.lstrip().startswith(b"["):
            cutter = ArrayCutter(self._limits.line_bytes)
            yield from cutter.cut(blocks)
            if not cutter.closed:
                raise refuse("cut_array", "a JSON array that is never closed", "The file is cut off: write it again.")
            return
        _check_one_per_line(head)
        for line in lines(blocks, self._limits.line_bytes):
            if line.data is None or line.data.strip():
                yield line

    def _read(self, parsed: Parsed) -> Item | RowError | None:
        if isinstance(parsed.value, RecordError):
            return parsed.value.on(parsed.line)
        try:
            return self._accept(parsed)
        except RecordError as error:
            return error.on(parsed.line)

    def _accept(self, parsed: Parsed) -> Item | None:
        """Return the record of a line; None for a repeat, which only counts as a notice."""
        remarks = Remarks()
        record = self._plain(parsed, remarks)
        if record is None:
            remarks = Remarks()
            record = parse(parsed.value, remarks, self._limits, storable_text=parsed.storable_text)
        chunks = self._book.take(record, remarks, parsed.line, first=self.lines == 1)
        return None if chunks is None else Item(parsed.line, record, chunks, parsed.size)

    def _plain(self, parsed: Parsed, remarks: Remarks) -> AnyRecord | PlainQuery | None:
        if not parsed.strict or parsed.value.get("kind", "query") != "query":
            return None
        return plain_query(parsed.value, remarks, self._limits)

    def _decoded(self, line: Line) -> tuple[Any, bool]:
        if line.data is None:
            limit = self._limits.line_bytes
            remedy = "Split the record, or leave out what is not needed."
            raise RecordError(WHOLE_LINE, f"{line.size:,} bytes", f"at most {limit:,} bytes", remedy)
        return decode(line.data, line.offset, self._limits)

    def _finish(self) -> None:
        """Refuse a file with too many faulty lines or none that says anything; else complete the notices."""
        limits, first = self._limits, self._kept[:20]
        if self.faulty > limits.faulty_lines and self.faulty > limits.faulty_share * self.lines:
            raise FileError(
                "too_many_faulty_lines",
                f"{self.faulty:,} faulty lines of {self.lines:,}",
                f"at most {limits.faulty_share:.0%} of them",
                "Mend them and import the file again: the first ones are listed.",
                first,
            )
        if not self.lines:
            raise refuse("empty", "an empty file", "Send a file with at least one query.")
        if not self.counts["query"]:
            found = "no line that could be read as a query"
            raise FileError(
                "no_queries", found, "at least one query with id and question", "See docs/formats.md.", first
            )
        self._book.close()


def peek(blocks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a stream, and the whole stream again."""
    iterator, taken = iter(blocks), b""
    while len(taken) < HEAD and (block := next(iterator, None)) is not None:
        taken += block
    return taken[:HEAD], _again(taken, iterator)


def _again(taken: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield taken
    yield from rest


def _without(blocks: Iterator[bytes], mark: int) -> Iterator[bytes]:
    """Yield the stream without its byte order mark."""
    yield next(blocks, b"")[mark:]
    yield from blocks


def _check_one_per_line(head: bytes) -> None:
    """Refuse one object spread over many lines, naming the tool that writes such files."""
    first, _, rest = head.lstrip().partition(b"\n")
    opens = first.strip() == b"{" or first.rstrip().endswith(b",")
    if not (opens and rest.lstrip().startswith(b'"')):
        return
    tool = tool_of(head)
    found = f"one JSON object over many lines{f', as {tool} writes it' if tool else ''}"
    raise refuse("pretty_printed", found, "Write one object a line (jq -c '.[]' or json.dumps), or one array of them.")


def is_query(item: Item | RowError) -> bool:
    """Say whether an item is a query that was read."""
    return isinstance(item, Item) and isinstance(item.record, AnyQuery)
