"""Langfuse: traces, observations and scores, as JSON, JSON Lines, CSV or Parquet; from the page, the API or blob storage.

| Langfuse (`camelCase` or `snake_case`) | becomes |
| --- | --- |
| trace `id` (`traceId` elsewhere) | `id` and `trace_id` of one query |
| trace `input`, `output`; else those of the observation without a parent | `question`, `answer`; JSON and messages are opened: the user's and the assistant's last |
| observation of type RETRIEVER: `output` (or documents in it) | `retrieved` in this order; several follow each other by their start, a document counts once |
| score, NUMERIC, by API or EVAL | `scores` with tool `langfuse`, the source as judge |
| score, NUMERIC, by ANNOTATION | `human_scores` of its author |
| score, BOOLEAN, named `correct`, `correctness` or `is_correct` | `correct` |
| score, CATEGORICAL, by ANNOTATION, whose value is a label of ours | a human verdict, its comment as note |
| any other score | `meta` `langfuse_scores`: the number of a category is no score |
| columns of numbers named after scores (tables exported from the page) | `scores` |
| start and end of the trace's root, else `latency` (seconds) | `latency_ms` |
| `totalCost`, `expectedOutput`, `release`, `environment` | `cost`, `reference`, `slice`, `slice` |
| `metadata`, `tags`, `sessionId`, `userId`, `version` | `meta` |

Files of one export belong together: put them into one (`cat traces.jsonl observations.jsonl scores.jsonl`). A trace
without a question is left out and counted. Langfuse does not say which chunks are gold.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from triage.core.labels import VERDICT_LABELS
from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import RecordError
from triage.formats.adapter import Adapter, Object
from triage.formats.cells import as_list, as_score, as_text, is_blank, is_number
from triage.formats.names import documents, first
from triage.formats.stream import Readable
from triage.formats.traces import Parts, Trace, Traces, answered, asked, moment, opened, query_of, seconds_between

_TRACE = ("traceId", "trace_id")
_CORRECT = frozenset({"correct", "correctness", "is_correct"})
_KEPT = ("metadata", "tags", "sessionId", "session_id", "userId", "user_id", "version")
_TRACE_MARKS = frozenset(
    {"sessionId", "session_id", "userId", "user_id", "release", "bookmarked", "public", "timestamp"}
)
_PLAIN = frozenset(
    {
        *(*_TRACE, *_KEPT, "id", "input", "output", "release", "environment", "observations", "scores", "latency"),
        *("totalCost", "total_cost", "timestamp", "name", "public", "bookmarked", "projectId", "project_id"),
        *("createdAt", "updatedAt", "created_at", "updated_at", "expectedOutput", "expected_output", "usage", "level"),
        *("htmlPath", "inputTokens", "outputTokens", "totalTokens", "inputCost", "outputCost", "observationCount"),
        *("levelCounts", "errorCount", "warningCount", "defaultCount", "debugCount", "traceName", "tokens"),
    }
)


def recognises(names: Iterable[str]) -> bool:
    """Say whether these are the columns of a table of traces, observations or scores."""
    given = set(names)
    if given & set(_TRACE):
        return bool(given & {"type", "dataType", "data_type", "parentObservationId", "parent_observation_id"})
    return {"id", "input", "output"} <= given and len(given & _TRACE_MARKS) > 1


def recognises_json(found: dict[str, set[str]]) -> bool:
    """Say whether these are the keys of a Langfuse export, by path."""
    top = found.get("", set())
    if {"observations", "scores"} <= top or ({"trace", "observations"} <= top):
        return True
    return recognises(top) or recognises(found.get("data[]", set()))


class Langfuse(Adapter):
    """A Langfuse export being read."""

    title = producer = "Langfuse"
    lists = ("data",)

    def __init__(self, stream: Readable, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(stream, limits)
        self._traces = Traces()
        self._parts: dict[str, Parts] = {}
        self._line = 0

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Yield traces, observations and scores, each on its own."""
        for number, row in super().rows():
            self._line = number
            yield from ((number, part) for part in _taken_apart(row))

    def convert(self, row: Object) -> Iterator[Object]:
        """Take a row in; the queries come when all of them are known."""
        of_trace = as_text(first(row, _TRACE))
        if of_trace is None and {"name", "value"} <= set(row) and not {"input", "output"} & set(row):
            self.note("left_out", str(row["name"]))
            return
        key = of_trace or as_text(row.get("id"))
        if key is None:
            raise RecordError("id", "no id of a trace", "a trace, an observation or a score", "Export them again.")
        trace = self._traces.of(key, self._line)
        if of_trace is None:
            self._trace(trace, row)
        elif is_blank(row.get("type")) and "value" in row:
            self._score(trace, row)
        else:
            self._observation(key, trace, row)
        yield from ()

    def _trace(self, trace: Trace, row: Object) -> None:
        trace.from_root = True
        trace.question = asked(row.get("input")) or trace.question
        trace.answer = answered(row.get("output")) or trace.answer
        trace.reference = answered(first(row, ("expectedOutput", "expected_output")))
        self._beside(trace, row)
        for name, value in row.items():
            if name not in _PLAIN:
                trace.scores.extend(_of_column(name, value))
        self._traces.hold(trace.question, trace.answer, trace.reference)

    def _beside(self, trace: Trace, row: Object) -> None:
        seconds = as_score(row.get("latency"))
        if trace.seconds is None and isinstance(seconds, int | float):
            trace.seconds = float(seconds)
        cost = as_score(first(row, ("totalCost", "total_cost")))
        trace.cost = cost if isinstance(cost, int | float) else trace.cost
        trace.slice |= {name: row[name] for name in ("release", "environment") if not is_blank(row.get(name))}
        trace.meta |= {name: row[name] for name in _KEPT if not is_blank(row.get(name))}

    def _observation(self, key: str, trace: Trace, row: Object) -> None:
        kind = str(row.get("type", "")).upper()
        start = first(row, ("startTime", "start_time"))
        if kind == "RETRIEVER":
            self._retriever(key, trace, row, start)
        if not is_blank(first(row, ("parentObservationId", "parent_observation_id"))):
            return
        trace.seconds = seconds_between(start, first(row, ("endTime", "end_time"))) or trace.seconds
        if not trace.from_root:
            trace.question = asked(row.get("input")) or trace.question
            trace.answer = trace.answer if kind == "RETRIEVER" else answered(row.get("output")) or trace.answer
            self._beside(trace, {name: value for name, value in row.items() if name != "latency"})
            self._traces.hold(trace.question, trace.answer)
        if str(row.get("level", "")).upper() == "ERROR":
            trace.error = as_text(first(row, ("statusMessage", "status_message"))) or "ERROR"

    def _retriever(self, key: str, trace: Trace, row: Object, start: object) -> None:
        output = row.get("output")
        found = documents(opened(output) if isinstance(output, str) else output)
        if found is None and not is_blank(output):
            raise RecordError("output", "a retriever's output without documents", "a list of texts or documents", _LIST)
        slots = [{**slot, "id": self.chunk_ids.of(slot.get("id"), slot.get("text"))} for slot in found or ()]
        self._traces.hold(*(slot.get("text") for slot in slots))
        if trace.question is None:
            trace.question = asked(row.get("input"))
        trace.retrieved = self._parts.setdefault(key, Parts()).add(start, slots)

    def _score(self, trace: Trace, row: Object) -> None:
        name, value = str(row.get("name", "")), as_score(row.get("value"))
        kind = str(first(row, ("dataType", "data_type")) or "NUMERIC").upper()
        word = as_text(first(row, ("stringValue", "string_value")))
        by_person = str(row.get("source", "")).upper() == "ANNOTATION"
        author = as_text(first(row, ("authorUserId", "author_user_id")))
        if kind == "BOOLEAN" and name.lower() in _CORRECT:
            trace.correct = bool(value)
        elif kind == "NUMERIC" and by_person:
            trace.ratings.append({"metric": name, "value": value, "reviewer": author})
        elif kind == "NUMERIC":
            trace.scores.append(_scored(name, value, str(row.get("source") or "")))
        elif by_person and word in VERDICT_LABELS and word:
            note = as_text(row.get("comment")) or ""
            trace.human.append({"label": word, "note": note, "reviewer": author, "at": _time(row)})
        else:
            kept = trace.meta.setdefault("langfuse_scores", [])
            kept.append({"name": name, "value": value if word is None else word, "comment": row.get("comment")})

    def rest(self) -> Iterator[tuple[int, Object]]:
        """Yield one query per trace with a question."""
        for key, trace in self._traces:
            if trace.question is None:
                self.note("left_out", key)
                continue
            yield trace.line, query_of(key, trace)


_LIST = "Record the documents as a list."


def _taken_apart(row: Any, depth: int = 0) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Yield a trace without what hangs on it, then its observations and scores."""
    if not isinstance(row, dict):
        yield row
        return
    if isinstance(row.get("data"), list) and depth < 3:
        for item in row["data"]:
            yield from _taken_apart(item, depth + 1)
        return
    inner = row.get("trace")
    trace = inner if isinstance(inner, dict) else row
    key = trace.get("id")
    yield {name: value for name, value in trace.items() if name not in {"observations", "scores"}}
    for name in ("observations", "scores"):
        hung = row.get(name) or trace.get(name)
        for item in hung if isinstance(hung, list) else ():
            if isinstance(item, dict):
                yield {"traceId": key, **item}


def _scored(name: str, value: object, judge: str) -> Object:
    return {"metric": name, "value": value, "judge": judge, "tool": "langfuse"}


def _of_column(name: str, cell: object) -> Iterator[Object]:
    """Yield the scores in a column of a table of traces: a number, or a list of them."""
    listed = isinstance(cell, list) or (isinstance(cell, str) and cell.strip().startswith("["))
    values = as_list(cell, name) or [] if listed else [cell]
    if values and all(is_number(value) for value in values):
        yield from (_scored(name, as_score(value), "") for value in values)


def _time(row: Object) -> str | None:
    when = moment(first(row, ("updatedAt", "updated_at", "timestamp")))
    return when.isoformat() if when else None
