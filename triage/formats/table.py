"""A plain table of questions and answers (CSV, TSV, Parquet, or JSON without a known tool), with a mapping of columns.

| field of a query | columns that stand for it, unless the mapping says otherwise |
| --- | --- |
| `id` | `id`, `query_id`, `question_id`, `qid`, `uuid`; without one it is made of the question |
| `question` | `question`, `user_input`, `query`, `input`, `prompt` (required) |
| `answer` | `answer`, `response`, `actual_output`, `output`, `generated_answer`, `prediction` |
| `reference` | `reference`, `ground_truth`, `expected_output`, `gold_answer`, `gt_answer`, ... |
| `retrieved` | `retrieved`, `retrieved_contexts`, `contexts`, `documents`, `sources`, ...: a list written as JSON or by Python, or parts between bars `a\\|b`; texts, ids or objects |
| `gold` | `gold`, `gold_ids`, `relevant_ids`, ...: the same, or a single id |
| `correct`, `answerable`, `abstained` | the same names: true/false, yes/no, 1/0, correct/incorrect |
| `latency_ms`, `context_tokens`, `cost`, `trace_id`, `url` | the same names |
| `scores.<metric>` | any column named like that, or mapped to it |
| `slice.<name>` | any column named like that, or mapped to it |
| `meta` | every other column |

The first line may be `sep=;`. The delimiter is what the header holds most often of comma, semicolon, tab and bar. Ids
stay text: `01` stays `01`; ids that a spreadsheet may have changed (`1E+05`, `5-Mar`) are kept and named in a notice.
A row with too many or too few cells is a fault of that row; the same column name twice refuses the file.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import RecordError, visible
from triage.formats.adapter import Adapter, Object
from triage.formats.cells import as_list, as_score, as_text, as_truth, is_blank
from triage.formats.csv_rows import Table, looks_damaged
from triage.formats.errors import FileError
from triage.formats.names import SYNONYMS, documents, fields_of
from triage.formats.stream import Readable

FIELDS = tuple(SYNONYMS)
_TEXT_FIELDS = ("answer", "reference", "trace_id", "url")
_TRUTH_FIELDS = ("correct", "answerable", "abstained")
_NUMBER_FIELDS = ("latency_ms", "context_tokens", "cost")
_ROWS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a table as they would be read: what the mapping page shows."""

    columns: list[str]
    delimiter: str
    mapping: dict[str, str]
    rows: list[dict[str, str]]
    faults: list[str]


def preview(head: bytes, limits: Limits = DEFAULT_LIMITS) -> Preview:
    """Return the first rows of a table in UTF-8, and the mapping its column names suggest.

    Raises:
        FileError: no table.
    """
    whole, _, _ = head.rpartition(b"\n")
    table = Table(iter([whole or head]), limits)
    rows: list[dict[str, str]] = []
    faults: list[str] = []
    try:
        for number, row in table:
            if isinstance(row, RecordError):
                faults.append(f"Line {number}: {row.field}: {row.found}; expected {row.expected}.")
            else:
                rows.append(row)
            if len(rows) == _ROWS_SHOWN:
                break
    except FileError as error:
        if error.code != "open_quote":
            raise
    return Preview(table.columns, table.delimiter, fields_of(filter(None, table.columns)), rows, faults)


class PlainTable(Adapter):
    """A table being read. `mapping` says which column is which field: a blank column = the table has none, a field
    left out is told by the names of the columns.
    """

    title = "question and answer table"
    lists = ("data", "rows", "samples", "examples", "results")

    def __init__(
        self, stream: Readable, limits: Limits = DEFAULT_LIMITS, mapping: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(stream, limits)
        self._none = {field for field, column in (mapping or {}).items() if not column}
        self._asked = {field: column for field, column in (mapping or {}).items() if column}
        self._mapping: dict[str, str] = {}

    def opening(self, columns: Iterable[str]) -> Object:
        """Settle which column is which field.

        Raises:
            FileError: there is no column with the question, or the mapping names a column the table has not.
        """
        names = list(columns)
        gone = [column for column in self._asked.values() if column not in names]
        shown = ", ".join(visible(name) for name in names[:20]) or "none"
        if gone:
            found = f"no column “{visible(gone[0])}”"
            raise FileError("no_column", found, f"one of the columns: {shown}", "Choose the columns again.")
        free = [name for name in names if name not in self._asked.values()]
        guessed = {field: column for field, column in fields_of(free).items() if field not in self._none}
        self._mapping = {**guessed, **self._asked}
        if "question" not in self._mapping:
            remedy = "Say which column holds the question."
            raise FileError("no_question", f"a table with the columns {shown}", "a column with the question", remedy)
        return {}

    def convert(self, row: Object) -> Iterator[Object]:
        """Yield the query of a row."""
        question = as_text(row.get(self._mapping["question"]))
        if question is None:
            raise RecordError(self._mapping["question"], "an empty cell", "the question", "Fill it, or remove the row.")
        query: Object = {"id": self._id(row, question), "question": question}
        for field in _TEXT_FIELDS:
            query[field] = as_text(self._cell(row, field))
        for field in _TRUTH_FIELDS:
            query[field] = as_truth(self._cell(row, field), self._mapping.get(field, field))
        for field in _NUMBER_FIELDS:
            query[field] = as_score(self._cell(row, field))
        query["retrieved"] = self._retrieved(row)
        query["gold"] = self._gold(row)
        yield {**query, **self._named(row), "meta": self._others(row)}

    def _cell(self, row: Object, field: str) -> Any:  # noqa: ANN401 - whatever the cell holds
        cell = self._at(row, field)
        return None if is_blank(cell) else cell

    def _at(self, row: Object, field: str) -> Any:  # noqa: ANN401 - whatever the cell holds
        return row.get(self._mapping[field]) if field in self._mapping else None

    def _id(self, row: Object, question: str) -> object:
        key = self._cell(row, "id")
        if key is None:
            return self.query_ids.of(question)
        self._look_at(key)
        return key

    def _look_at(self, key: object) -> None:
        if isinstance(key, str) and looks_damaged(key):
            self.note("spreadsheet_id", key)

    def _retrieved(self, row: Object) -> list[Object] | None:
        column = self._mapping.get("retrieved", "")
        listed = _listed(self._at(row, "retrieved"), column)
        if listed is None:
            return None
        slots = documents(listed)
        if slots is None:
            raise RecordError(column, "an item that is no document", "texts, ids, or objects with id or text", _LIST)
        ids_only = "id" in column.lower()
        return [self._slot(slot, ids_only) for slot in slots]

    def _slot(self, slot: Object, ids_only: bool) -> Object:
        if ids_only and set(slot) == {"text"}:
            self._look_at(slot["text"])
            return {"id": slot["text"]}
        return {**slot, "id": self.chunk_ids.of(slot.get("id"), slot.get("text"))}

    def _gold(self, row: Object) -> list[Any] | None:
        listed = _listed(self._at(row, "gold"), self._mapping.get("gold", ""))
        for key in listed or ():
            self._look_at(key)
        return listed

    def _named(self, row: Object) -> Object:
        """Return the scores and slices among the columns, by their names or by the mapping."""
        columns = {**{name: name for name in row}, **self._mapping}
        named: dict[str, dict[str, Any]] = {"scores": {}, "slice": {}}
        for field, column in columns.items():
            kind, dot, name = field.partition(".")
            if dot and kind in named and column in row:
                cell = row[column]
                named[kind][name] = as_score(cell) if kind == "scores" else (None if is_blank(cell) else cell)
        return named

    def _others(self, row: Object) -> Object:
        read = set(self._mapping.values())
        return {
            name: cell
            for name, cell in row.items()
            if name not in read and not is_blank(cell) and name.partition(".")[0] not in {"scores", "slice"}
        }


_LIST = 'Write ["a", "b"], or a|b.'


def _listed(cell: object, column: str) -> list[Any] | None:
    """Return a cell as a list: JSON, Python, or parts between bars; a cell without any of them is one item."""
    if isinstance(cell, str) and not is_blank(cell) and cell.strip()[:1] not in {"[", "("}:
        return [part.strip() for part in cell.split("|") if part.strip()]
    return as_list(cell, column)
