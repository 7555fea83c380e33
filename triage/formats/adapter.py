"""What every reader of another tool's file shares: its rows become objects of a run file, and RunFile does the rest.

So ids, repeats, chunk texts, notices, limits and the content hash follow one rule whatever the file was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import RecordError, describe, visible
from triage.formats.csv_rows import Table, readable
from triage.formats.errors import FileError
from triage.formats.identity import ChunkIds, QueryIds
from triage.formats.json_rows import json_rows
from triage.formats.kinds import foreign
from triage.formats.parquet_rows import MAGIC, parquet_rows
from triage.formats.run_file import Parsed, RunFile, peek
from triage.formats.stream import Readable

Object = dict[str, Any]
#: Refusals of `foreign` that are about text an adapter can read after all.
_TEXT = frozenset({"csv", "trec_run", "trec_qrels"})


class Adapter(RunFile):
    """One file of another tool being read. A subclass says what a row of it means.

    Raises (while iterating):
        FileError: the file as a whole is not read; nothing of it may be kept.
    """

    #: Name for people, as in "a ragas file".
    title: ClassVar[str] = ""
    #: Who writes such files, kept with the run; blank where nobody knows.
    producer: ClassVar[str] = ""
    #: Names under which a JSON document of the tool holds its rows.
    lists: ClassVar[tuple[str, ...]] = ()

    def __init__(self, stream: Readable, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(stream, limits)
        self._stream = stream
        self._head = b""
        self.chunk_ids = ChunkIds(self._notices)
        self.query_ids = QueryIds(self._notices)

    def convert(self, row: Object) -> Iterable[Object]:
        """Yield the run-file objects that a row stands for; may be none.

        Raises:
            RecordError: the row cannot be read.
        """
        raise NotImplementedError

    def rest(self) -> Iterable[tuple[int, Object | RecordError]]:
        """Yield what can only be said once all rows were seen, each with the line it belongs to."""
        return ()

    def opening(self, columns: Iterable[str]) -> Object:
        """Return the `run` object, given the names found in the first row; empty = none."""
        return {"meta": {"producer": self.producer}} if self.producer else {}

    def note(self, code: str, *examples: str) -> None:
        """Count a notice for one more row."""
        self._notices.add(code, [visible(example) for example in examples])

    def _objects(self) -> Iterator[Parsed]:
        opened = False
        for number, row in self.rows():
            if not opened and isinstance(row, dict):
                opened = True
                if run := self.opening(row):
                    yield Parsed(number, {"kind": "run", **run})
            yield from self._of_row(number, row)
        yield from (Parsed(number, value) for number, value in self.rest())

    def _of_row(self, number: int, row: object) -> Iterator[Parsed]:
        if isinstance(row, RecordError):
            yield Parsed(number, _safe(row))
            return
        try:
            if not isinstance(row, dict):
                raise RecordError("(whole line)", describe(row), "one JSON object", "Write one object per row.")
            for value in self.convert(row):
                yield Parsed(number, value)
        except RecordError as error:
            yield Parsed(number, _safe(error))

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Yield (line, row): from JSON Lines, JSON, CSV or Parquet, whatever the file is."""
        head, blocks = peek(self._source.blocks())
        if head.startswith(MAGIC):
            yield from parquet_rows(self._stream, self._limits)
            return
        head, blocks = self._as_text(head, blocks)
        self._head = head
        if not head.strip():
            return
        if head.lstrip()[:1] in (b"{", b"["):
            yield from json_rows(head, blocks, self._limits, self.lists)
            return
        if (reason := foreign(readable(head))) is not None and reason.code not in _TEXT:
            raise FileError(reason.code, reason.found, f"a {self.title} file", reason.remedy)
        yield from self.table(Table(blocks, self._limits))

    def table(self, table: Table) -> Iterator[tuple[int, Any]]:
        """Yield the rows of a table; columns without a name (a data frame's index) are left out."""
        if "" in table.columns:
            self.note("unnamed_column", f"column {table.columns.index('') + 1}")
        for number, row in table:
            if isinstance(row, dict):
                row.pop("", None)
            yield number, row

    def _finish(self) -> None:
        try:
            super()._finish()
        except FileError as error:
            raise FileError(error.code, error.found, self._expected(error), error.remedy, error.errors) from None

    def _expected(self, error: FileError) -> str:
        """Return what was expected, in the words of the tool."""
        if error.code in {"no_queries", "empty"}:
            return f"a {self.title} file with at least one question"
        return error.expected


def _safe(error: RecordError) -> RecordError:
    """Return a fault whose field, a name out of the file, can be stored and shown."""
    return RecordError(visible(error.field), error.found, error.expected, error.remedy)
