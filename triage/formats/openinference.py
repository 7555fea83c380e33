"""OpenInference spans as Phoenix and OpenTelemetry export them: JSON, JSON Lines, OTLP JSON, data frames as CSV or Parquet.

| spans of one trace | become |
| --- | --- |
| `context.trace_id` (`traceId`) | `id` and `trace_id` of one query |
| root span: `input.value`, `output.value` | `question`, `answer`; JSON and messages are opened: the user's and the assistant's last |
| RETRIEVER span: `retrieval.documents.{i}.document.` `id`, `content`, `score`, `metadata` | `retrieved` in this order; several such spans follow each other by their start, a document counts once |
| RERANKER span: `reranker.input_documents`, `reranker.output_documents` | candidates, and those that entered the context with `rerank_score` |
| RETRIEVER span without a root | its `input.value` is the question, there is no answer |
| root span: start and end | `latency_ms` |
| root span: `metadata`, `session.id`, `user.id`; status ERROR | `meta` |
| a trace without a question | left out, counted in a notice |

Attributes may be flat (`retrieval.documents.0.document.id`), nested, columns (`attributes.input.value`) or OTLP pairs.
Read as well: the data frames of `get_retrieved_documents` (one row per document) and `get_input_output_context` (the
documents are one text there, so they count as one chunk). Spans do not say which chunks are gold, nor what is correct.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import RecordError
from triage.formats.adapter import Adapter, Object
from triage.formats.cells import as_list, as_text, is_blank
from triage.formats.names import documents, first
from triage.formats.stream import Readable
from triage.formats.traces import Parts, Trace, Traces, answered, asked, opened, query_of, seconds_between

_COLUMN_MARKS = frozenset({"context.span_id", "context.trace_id", "span_kind", "attributes.input.value"})
_SPAN_MARKS = frozenset({"span_kind", "parent_id", "status_code", "attributes"})
_LISTED = re.compile(r"(retrieval\.documents|reranker\.(?:input|output)_documents)\.(\d+)\.(.+)")
#: What these spans put out are documents and vectors.
_NO_ANSWER = frozenset({"RETRIEVER", "RERANKER", "EMBEDDING"})
_KEPT = ("metadata", "session.id", "user.id", "tag.tags", "llm.model_name")


def recognises(names: Iterable[str]) -> bool:
    """Say whether these are the columns of a data frame of spans."""
    given = set(names)
    return bool(given & {"context.span_id", "document_position"}) or len(given & _COLUMN_MARKS) > 1


def recognises_json(found: dict[str, set[str]]) -> bool:
    """Say whether these are the keys of spans, by path."""
    if any("resourceSpans" in keys for keys in found.values()):
        return True
    return any(
        len(found.get(path, set()) & _SPAN_MARKS) > 1 or recognises(found.get(path, set()))
        for path in ("", "data[]", "spans[]")
    )


class OpenInference(Adapter):
    """A file of OpenInference spans being read."""

    title, producer = "Phoenix (OpenInference)", "OpenInference"
    lists = ("resourceSpans", "data", "spans")

    def __init__(self, stream: Readable, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(stream, limits)
        self._traces = Traces()
        self._parts: dict[str, Parts] = {}
        self._line = 0

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Yield the spans, out of whatever holds them."""
        for number, row in super().rows():
            for span in _spans(row):
                self._line = number
                yield number, span

    def convert(self, row: Object) -> Iterator[Object]:
        """Take a span in; the queries come when all spans are known."""
        attributes = flat(row)
        key = _trace_id(row)
        if key is None:
            raise RecordError(
                "context.trace_id", "no trace id", "the id of the span's trace", "Export the spans again."
            )
        trace = self._traces.of(key, self._line)
        if "document_position" in row:
            self._one_document(trace, row)
            return
        kind = str(attributes.get("openinference.span.kind") or row.get("span_kind") or "").upper()
        if kind == "RETRIEVER":
            self._retriever(key, trace, row, attributes)
        elif kind == "RERANKER":
            self._reranker(trace, attributes)
        if is_blank(_parent(row)):
            self._root(trace, row, attributes, answers=kind not in _NO_ANSWER)
        yield from ()

    def _root(self, trace: Trace, row: Object, attributes: Object, *, answers: bool) -> None:
        trace.question = asked(attributes.get("input.value")) or trace.question
        if answers and "output.value" in attributes:
            trace.answer = answered(attributes["output.value"])
        trace.from_root = True
        start = first(row, ("start_time", "startTimeUnixNano"))
        trace.seconds = seconds_between(start, first(row, ("end_time", "endTimeUnixNano")))
        trace.meta = {name: attributes[name] for name in _KEPT if not is_blank(attributes.get(name))}
        trace.error = _error(row)
        if trace.retrieved is None and isinstance(row.get("context"), str):
            trace.retrieved = self._slots([row["context"]])
        self._traces.hold(trace.question, trace.answer)

    def _retriever(self, key: str, trace: Trace, row: Object, attributes: Object) -> None:
        """Take the documents of a retriever; several of one trace go by their start, a document counts once."""
        slots = self._slots(_documents(attributes, "retrieval.documents") or [])
        if not trace.from_root:
            trace.question = trace.question or asked(attributes.get("input.value"))
            self._traces.hold(trace.question)
        start = first(row, ("start_time", "startTimeUnixNano"))
        trace.retrieved = self._parts.setdefault(key, Parts()).add(start, slots)

    def _reranker(self, trace: Trace, attributes: Object) -> None:
        trace.reranked = self._slots(_documents(attributes, "reranker.output_documents") or [])
        if trace.retrieved is None:
            trace.retrieved = self._slots(_documents(attributes, "reranker.input_documents") or [])

    def _one_document(self, trace: Trace, row: Object) -> None:
        """Take a row of `get_retrieved_documents`: one document of a retriever."""
        trace.question = trace.question or asked(row.get("input"))
        text = first(row, ("document", "reference"))
        found = documents(
            [{"text": text, "score": row.get("document_score"), "metadata": row.get("document_metadata")}]
        )
        trace.retrieved = [*(trace.retrieved or []), *self._slots(found or [])]

    def _slots(self, found: list[Object]) -> list[Object]:
        slots = documents(found)
        if slots is None:
            raise RecordError(
                "retrieval.documents", "a document without id and content", "id or content", "Add one of them."
            )
        for slot in slots:
            slot["id"] = self.chunk_ids.of(slot.get("id"), slot.get("text"))
            if isinstance(slot.get("score"), str):
                slot["score"] = float(slot["score"]) if slot["score"].replace(".", "", 1).isdigit() else None
            self._traces.hold(slot.get("text"))
        return slots

    def rest(self) -> Iterator[tuple[int, Object]]:
        """Yield one query per trace with a question."""
        for key, trace in self._traces:
            if trace.question is None:
                self.note("left_out", key)
                continue
            yield trace.line, query_of(key, trace)


def _spans(row: Any, depth: int = 0) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Yield the spans in a row: itself, or those inside an OTLP or API document."""
    if isinstance(row, dict) and depth < 6:
        for name in ("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "data"):
            if isinstance(row.get(name), list):
                for item in row[name]:
                    yield from _spans(item, depth + 1)
                return
    yield row


def flat(row: Object) -> Object:
    """Return a span's attributes by dotted name, however they were written."""
    given = row.get("attributes", {})
    if isinstance(given, str):
        given = opened(given)
    found: Object = {}
    if isinstance(given, list):
        for pair in given:
            if isinstance(pair, dict) and isinstance(pair.get("key"), str):
                found[pair["key"]] = _otlp(pair.get("value"))
    elif isinstance(given, dict):
        _flatten("", given, found)
    for name, value in row.items():
        if name.startswith("attributes.") and not is_blank(value):
            found[name.removeprefix("attributes.")] = value
    for name, other in (("input.value", "input"), ("output.value", "output")):
        if name not in found and not is_blank(row.get(other)):
            found[name] = row[other]
    return found


def _flatten(prefix: str, value: Object, found: Object, depth: int = 0) -> None:
    for name, item in value.items():
        path = f"{prefix}.{name}" if prefix else name
        if isinstance(item, dict) and depth < 6 and not path.endswith("metadata"):
            _flatten(path, item, found, depth + 1)
        else:
            found[path] = item


def _otlp(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the value of an OTLP attribute: {"stringValue": ...} and its like."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue":
        return [_otlp(item) for item in inner.get("values", [])] if isinstance(inner, dict) else inner
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdigit():
        return int(inner)
    return inner


def _documents(attributes: Object, name: str) -> list[Any] | None:
    """Return the documents under an attribute: a list (also one squeezed into a cell), or numbered attributes."""
    if not is_blank(attributes.get(name)):
        return as_list(attributes[name], name)
    numbered: dict[int, Object] = {}
    for key, value in attributes.items():
        if (part := _LISTED.fullmatch(key)) and part[1] == name:
            numbered.setdefault(int(part[2]), {})[part[3].removeprefix("document.")] = value
    return [numbered[place] for place in sorted(numbered)] if numbered else None


def _trace_id(row: Object) -> str | None:
    context = row.get("context")
    inner = first(context, ("trace_id", "traceId")) if isinstance(context, dict) else None
    key = inner or first(row, ("context.trace_id", "trace_id", "traceId"))
    return as_text(key)


def _error(row: Object) -> str:
    """Return what a span says went wrong; blank where nothing did."""
    status = row.get("status")
    inner = status if isinstance(status, dict) else {}
    code = str(first(row, ("status_code",)) or first(inner, ("status_code", "code")) or "").upper()
    if code.removeprefix("STATUS_CODE_") not in {"ERROR", "2"}:
        return ""
    return as_text(first(row, ("status_message",)) or first(inner, ("description", "message"))) or "ERROR"


def _parent(row: Object) -> object:
    return first(row, ("parent_id", "parentSpanId", "parent_span_id"))
