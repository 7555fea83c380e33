"""OpenInference spans: from the real SDK, from Phoenix's API and data frames, from an OTLP collector."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, read_file, refused
from triage.formats import traces

DOCS = [
    {
        "document.id": "k1",
        "document.content": "Two years.",
        "document.score": 0.8,
        "document.metadata": {"source": "w.md"},
    },
    {"document.id": "s7", "document.content": "Three days.", "document.score": 0.4},
]


def span(kind: str, attributes: Any, *, trace: str = "t1", parent: str | None = "root", at: int = 0) -> dict[str, Any]:
    """Return a span as Phoenix's API gives it."""
    return {
        "name": kind.lower(),
        "context": {"trace_id": trace, "span_id": f"{kind}{at}"},
        "span_kind": kind,
        "parent_id": parent,
        "start_time": f"2026-11-30T10:00:0{at}+00:00",
        "end_time": f"2026-11-30T10:00:0{at + 1}.500000+00:00",
        "status_code": "OK",
        "status_message": "",
        "attributes": attributes,
        "events": [],
    }


ROOT = span("CHAIN", {"input.value": "How long?", "output.value": "Two years."}, parent=None)
FLAT = {f"retrieval.documents.{n}.{name}": value for n, doc in enumerate(DOCS) for name, value in doc.items()}
RETRIEVER = span("RETRIEVER", {"input.value": "How long?", **FLAT})


def lines(*spans: dict[str, Any]) -> str:
    return "".join(json.dumps(item) + "\n" for item in spans)


@pytest.mark.parametrize("name", ["otel_spans.json", "otel_console.json.txt"])
def test_spans_exported_by_the_opentelemetry_sdk_are_read_field_by_field(name: str) -> None:
    found = read_file(name)
    assert (found.format, found.errors) == ("openinference", [])
    first, second = found.queries
    assert (first.question, first.answer) == ("How long is the warranty?", "The warranty lasts two years.")
    assert first.id == first.trace_id
    assert [(s.id, s.score, s.document, s.section) for s in first.retrieved or ()] == [
        ("k1", 0.82, "warranty.md", "Kettles"),
        ("s7", 0.41, "shipping.md", ""),
    ]
    assert [(s.id, s.in_context, s.score, s.rerank_score) for s in second.retrieved or ()] == [
        ("r2", True, 0.33, 0.97),
        ("k1", True, 0.82, 0.12),
        ("s7", False, 0.41, None),
    ]
    assert (first.reranker, second.reranker) == ("", "ok")
    assert first.latency_ms is not None
    assert 0 < first.latency_ms < 1000
    assert first.meta == {"session.id": "s-1"}
    assert found.notices["left_out"].count == 1, "the trace of the embedding asks nothing"


ATTRIBUTES = {
    "flat": FLAT,
    "a list of dotted objects": {"retrieval.documents": DOCS},
    "nested": {
        "retrieval": {
            "documents": [
                {"document": {"id": "k1", "content": "Two years.", "score": 0.8, "metadata": '{"source": "w.md"}'}},
                {"document": {"id": "s7", "content": "Three days.", "score": 0.4}},
            ]
        }
    },
}


@pytest.mark.parametrize("spelling", ATTRIBUTES)
def test_documents_are_read_however_attributes_are_written(spelling: str) -> None:
    found = read(lines(ROOT, span("RETRIEVER", ATTRIBUTES[spelling])))
    assert [(s.id, s.text, s.score, s.document) for s in found.query.retrieved or ()] == [
        ("k1", "Two years.", 0.8, "w.md"),
        ("s7", "Three days.", 0.4, ""),
    ]


def test_an_otlp_document_is_read() -> None:
    def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
        kinds = {str: "stringValue", float: "doubleValue", int: "intValue"}
        return [
            {"key": key, "value": {kinds[type(value)]: value}}
            for key, value in attributes.items()
            if not isinstance(value, dict)
        ]

    root = {"openinference.span.kind": "CHAIN", "input.value": "How long?", "output.value": "Two."}
    times = {"startTimeUnixNano": "1764496800000000000", "endTimeUnixNano": "1764496801250000000"}
    retriever = pairs({"openinference.span.kind": "RETRIEVER", **FLAT})
    spans = [
        {"traceId": "ab", "spanId": "1", "parentSpanId": "", **times, "status": {"code": 2, "message": "boom"}}
        | {"attributes": pairs(root)},
        {"traceId": "ab", "spanId": "2", "parentSpanId": "1", "name": "r", "attributes": retriever},
    ]
    document = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}
    for text in (json.dumps(document), json.dumps(document) + "\n" + json.dumps({"resourceSpans": []}) + "\n"):
        found = read(text)
        assert (found.format, found.query.id, found.query.latency_ms) == ("openinference", "ab", 1250.0)
        assert (ids(found.query.retrieved), found.query.meta["error"]) == (["k1", "s7"], "boom")


def test_several_retrievals_follow_each_other_by_their_start_and_a_document_counts_once() -> None:
    late = span("RETRIEVER", {"retrieval.documents": [{"document.id": "z", "document.content": "z"}, DOCS[0]]}, at=5)
    early = span("RETRIEVER", {"retrieval.documents": DOCS}, at=1)
    assert ids(read(lines(late, ROOT, early)).query.retrieved) == ["k1", "s7", "z"]


def test_a_retriever_without_a_root_asks_and_answers_nothing() -> None:
    found = read(
        lines({**RETRIEVER, "parent_id": None, "attributes": {**RETRIEVER["attributes"], "output.value": "[]"}})
    )
    assert (found.query.question, found.query.answer) == ("How long?", None)


def test_a_trace_without_a_retriever_does_not_say_what_was_retrieved() -> None:
    found = read(lines(ROOT))
    assert found.query.retrieved is None
    assert "retrieval_unknown" in found.notices


def test_a_retriever_that_found_nothing_retrieved_nothing() -> None:
    assert read(lines(ROOT, span("RETRIEVER", {"input.value": "How long?"}))).query.retrieved == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{"query": "How long?"}', "How long?"),
        (
            '{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "How long?"}]}',
            "How long?",
        ),
        ([{"message.role": "user", "message.content": "How long?"}], "How long?"),
        ("{not json", "{not json"),
        ("plain", "plain"),
        ('{"unknown": 1}', '{"unknown": 1}'),
    ],
)
def test_a_question_is_found_in_what_frameworks_record_as_input(value: Any, text: str) -> None:
    assert traces.asked(value) == text


def test_spans_of_many_traces_that_are_mixed_stay_apart() -> None:
    others = [{**item, "context": {"trace_id": "t2", "span_id": "x"}} for item in (RETRIEVER, ROOT)]
    found = read(lines(RETRIEVER, others[0], others[1], ROOT))
    assert [(query.id, ids(query.retrieved)) for query in found.queries] == [("t1", ["k1", "s7"]), ("t2", ["k1", "s7"])]


def test_a_data_frame_of_spans_as_csv_is_read() -> None:
    header = (
        "context.span_id,name,span_kind,parent_id,start_time,end_time,context.trace_id,"
        "attributes.input.value,attributes.output.value,attributes.retrieval.documents"
    )
    documents = str(DOCS).replace('"', '""')
    found = read(
        f"{header}\n1,query,CHAIN,,2026-11-30 10:00:00+00:00,2026-11-30 10:00:02+00:00,t1,How long?,Two years.,\n"
        f'2,retrieve,RETRIEVER,1,,,t1,How long?,,"{documents}"\n'
    )
    assert (found.format, found.errors, found.query.latency_ms) == ("openinference", [], 2000.0)
    assert ids(found.query.retrieved) == ["k1", "s7"]


def test_the_data_frame_of_retrieved_documents_is_read_one_document_a_row() -> None:
    found = read(
        "context.span_id,document_position,context.trace_id,input,document,document_score,document_metadata\n"
        "2,0,t1,How long?,Two years.,0.8,\n2,1,t1,How long?,Three days.,0.4,\n"
    )
    assert [(slot.text, slot.score) for slot in found.query.retrieved or ()] == [
        ("Two years.", 0.8),
        ("Three days.", 0.4),
    ]


def test_the_data_frame_of_questions_and_contexts_gives_one_chunk() -> None:
    found = read("context.span_id,context.trace_id,input,output,context,metadata\n1,t1,How long?,Two.,Two years.,\n")
    assert (found.query.answer, list(found.chunks.values())) == ("Two.", ["Two years."])


def test_a_hostile_cell_of_documents_is_a_row_error() -> None:
    header = (
        "context.span_id,span_kind,parent_id,context.trace_id,attributes.input.value,attributes.retrieval.documents"
    )
    found = read(f"{header}\n1,CHAIN,,t1,How?,\n2,RETRIEVER,1,t1,How?,__import__('os').system('true')\n")
    assert (found.error.line, found.error.field) == (3, "retrieval.documents")


def test_a_document_without_id_and_text_is_a_row_error_and_the_trace_stays() -> None:
    found = read(lines(ROOT, span("RETRIEVER", {"retrieval.documents": [{"document.score": 1}]})))
    assert (found.error.field, found.query.retrieved) == ("retrieval.documents", None)


def test_a_span_without_trace_is_a_row_error() -> None:
    assert read(lines(ROOT, {**RETRIEVER, "context": {}})).error.field == "context.trace_id"


def test_a_page_of_phoenix_api_with_its_cursor_is_read() -> None:
    assert len(read(json.dumps({"data": [ROOT, RETRIEVER], "next_cursor": None})).queries) == 1


def test_more_text_than_can_be_joined_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "HELD_CHARS", 500)
    assert (
        refused(lines(ROOT, RETRIEVER, *[{**ROOT, "context": {"trace_id": str(n)}} for n in range(5)])).code == "traces"
    )
