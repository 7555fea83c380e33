"""Langfuse exports: the page's table, a single trace, the files of blob storage put into one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, refused

TRACE: dict[str, Any] = {
    "id": "t1",
    "timestamp": "2026-11-30T10:00:00.000Z",
    "name": "chat",
    "userId": "u1",
    "sessionId": "s1",
    "release": "2026.11",
    "environment": "production",
    "input": {"query": "How long?"},
    "output": "Two years.",
    "tags": ["shop"],
    "metadata": {"lang": "en"},
    "latency": 1.5,
    "totalCost": 0.002,
}
RETRIEVER: dict[str, Any] = {
    "id": "o1",
    "traceId": "t1",
    "type": "RETRIEVER",
    "parentObservationId": "o0",
    "startTime": "2026-11-30T10:00:00.100Z",
    "input": "How long?",
    "output": [
        {"page_content": "Two years.", "metadata": {"id": "k1", "source": "w.md"}, "type": "Document"},
        {"page_content": "Three days.", "metadata": {"id": "s7"}, "type": "Document"},
    ],
}


def score(name: str, value: object, **more: object) -> dict[str, Any]:
    return {
        "id": f"s-{name}",
        "traceId": "t1",
        "name": name,
        "value": value,
        "source": "EVAL",
        "dataType": "NUMERIC",
        **more,
    }


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_trace_downloaded_from_the_page_is_read_field_by_field() -> None:
    whole = {**TRACE, "observations": [RETRIEVER], "scores": [score("helpfulness", 0.7)]}
    for text in (
        json.dumps(whole, indent=2),
        json.dumps(whole),
        json.dumps({"trace": TRACE, **{k: whole[k] for k in ("observations", "scores")}}),
    ):
        found = read(text)
        query = found.query
        assert (found.format, found.errors) == ("langfuse", [])
        assert (query.id, query.trace_id, query.question, query.answer) == ("t1", "t1", "How long?", "Two years.")
        assert [(s.id, s.text, s.document) for s in query.retrieved or ()] == [
            ("k1", "Two years.", "w.md"),
            ("s7", "Three days.", ""),
        ]
        assert (query.latency_ms, query.cost) == (1500.0, 0.002)
        assert query.slice == {"release": "2026.11", "environment": "production"}
        assert [(s.metric, s.value, s.judge, s.tool) for s in query.scores] == [
            ("helpfulness", 0.7, "EVAL", "langfuse")
        ]
        assert query.meta == {"metadata": {"lang": "en"}, "sessionId": "s1", "tags": ["shop"], "userId": "u1"}


def test_the_files_of_blob_storage_put_into_one_are_joined() -> None:
    root = {"id": "o0", "type": "CHAIN", "parent_observation_id": "", "release": "r1", "latency": 9, "metadata": {}}
    times = {"start_time": "2026-11-30 10:00:00.000000", "end_time": "2026-11-30 10:00:02.500000"}
    found_by = {"id": "o1", "type": "RETRIEVER", "parent_observation_id": "o0", "output": json.dumps(["Two years."])}
    scored = {"id": "s1", "name": "faith", "value": 0.5, "source": "API", "data_type": "NUMERIC", "string_value": None}
    said = {"input": '{"question": "How long?"}', "output": "Two years."}
    rows = [{"trace_id": "t1", **row} for row in ({**root, **times, **said}, found_by, scored)]
    found = read(lines(*rows))
    query = found.query
    assert (found.format, found.errors) == ("langfuse", [])
    assert (query.question, query.answer, query.latency_ms) == ("How long?", "Two years.", 2500.0)
    assert ([s.text for s in query.retrieved or ()], query.scores[0].value) == (["Two years."], 0.5)


def test_observations_before_their_trace_and_mixed_traces_stay_apart() -> None:
    other = {**TRACE, "id": "t2", "input": "Why?"}
    found = read(lines(RETRIEVER, other, TRACE))
    assert [(query.id, query.question) for query in found.queries] == [("t1", "How long?"), ("t2", "Why?")]
    assert (ids(found.queries[0].retrieved), found.queries[1].retrieved) == (["k1", "s7"], None)


def test_scores_of_people_are_ratings_and_scores_of_machines_are_scores() -> None:
    rows = [score("tone", 4, source="ANNOTATION", authorUserId="ada"), score("faith", 0.5)]
    query = read(lines(TRACE, *rows)).query
    assert [(r.metric, r.value, r.reviewer) for r in query.human_scores] == [("tone", 4.0, "ada")]
    assert [s.metric for s in query.scores] == ["faith"]


@pytest.mark.parametrize(("value", "correct"), [(1, True), (0, False)])
def test_a_yes_or_no_named_correct_is_the_verdict_on_the_answer(value: int, correct: bool) -> None:
    row = score("correctness", value, dataType="BOOLEAN", source="ANNOTATION")
    assert read(lines(TRACE, row)).query.correct is correct


def test_P61_the_number_of_a_category_is_no_score() -> None:
    row = score("tone", 2, dataType="CATEGORICAL", stringValue="rude", comment="sigh")
    query = read(lines(TRACE, row)).query
    assert query.scores == []
    assert query.meta["langfuse_scores"] == [{"comment": "sigh", "name": "tone", "value": "rude"}]


def test_a_person_who_chose_one_of_our_labels_gave_a_verdict() -> None:
    row = score("class", 0, dataType="CATEGORICAL", stringValue="retrieval_miss", source="ANNOTATION",
                authorUserId="ada", comment="not found", timestamp="2026-11-30T11:00:00Z")  # fmt: skip
    (verdict,) = read(lines(TRACE, row)).query.human
    assert (verdict.label, verdict.reviewer, verdict.note) == ("retrieval_miss", "ada", "not found")


def test_a_table_exported_from_the_page_has_its_scores_in_columns() -> None:
    rows = [
        {**TRACE, "faith": [0.5, 0.7], "tone": ["rude"], "observations": 3},
        {**TRACE, "id": "t2", "faith": [], "observations": 1},
    ]
    found = read(json.dumps(rows))
    assert (found.format, [[s.value for s in q.scores] for q in found.queries]) == ("langfuse", [[0.5, 0.7], []])


def test_a_table_as_csv_is_read() -> None:
    found = read(
        "id,timestamp,name,userId,sessionId,release,input,output,latency,faith\n"
        't1,2026-11-30T10:00:00Z,chat,u,s,r,"{""query"": ""How long?""}",Two years.,0.25,0.5\n'
    )
    assert (found.format, found.query.question, found.query.latency_ms) == ("langfuse", "How long?", 250.0)
    assert [(s.metric, s.value) for s in found.query.scores] == [("faith", 0.5)]


def test_a_trace_without_a_question_is_left_out_and_counted() -> None:
    found = read(lines(TRACE, {**TRACE, "id": "t2", "input": None}))
    assert ([query.id for query in found.queries], found.notices["left_out"].examples) == (["t1"], ("t2",))


def test_a_retriever_whose_output_holds_no_documents_is_a_row_error() -> None:
    found = read(lines(TRACE, {**RETRIEVER, "output": "two documents"}))
    assert (found.error.field, found.query.retrieved) == ("output", None)


def test_F28_a_score_that_is_nan_is_missing() -> None:
    assert read(lines(TRACE, score("faith", float("nan")))).query.scores[0].value is None


def test_scores_alone_are_refused() -> None:
    assert "Langfuse" in refused(lines(score("faith", 1)), "langfuse").expected
