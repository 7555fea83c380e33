"""ragas JSON Lines out of a run, and back in."""

from __future__ import annotations

import json
from typing import Any

from tests.triage.formats.reading import FILES, ids, read, read_file
from triage.core.records import QueryRecord, Remarks, parse
from triage.formats.write_ragas import ragas_lines


def query_of(**fields: Any) -> QueryRecord:
    record = parse({"id": "7", "question": "How long?", "answer": "Two years.", **fields}, Remarks())
    assert isinstance(record, QueryRecord)
    return record


def test_a_query_goes_out_by_ragas_names_and_comes_back() -> None:
    query = query_of(
        retrieved=[{"id": "k1", "text": "Two years."}, "k2", {"id": "k3", "text": "x", "in_context": False}],
        gold=["k1"],
        reference="Two.",
        scores={"faithfulness": 0.5},
    )
    (line,) = ragas_lines([query], {"k2": "Told elsewhere."})
    assert json.loads(line) == {
        "id": "7",
        "user_input": "How long?",
        "retrieved_contexts": ["Two years.", "Told elsewhere."],
        "retrieved_context_ids": ["k1", "k2"],
        "reference_context_ids": ["k1"],
        "response": "Two years.",
        "reference": "Two.",
        "faithfulness": 0.5,
    }
    found = read(line)
    back = found.query
    assert (found.format, found.errors, ids(back.retrieved)) == ("ragas", [], ["k1", "k2"])
    assert (back.id, back.question, back.answer, back.gold, back.reference) == (
        "7",
        "How long?",
        "Two years.",
        ["k1"],
        "Two.",
    )


def test_a_chunk_without_text_leaves_the_ids_alone() -> None:
    (line,) = ragas_lines([query_of(retrieved=["k9"])], {})
    assert "retrieved_contexts" not in json.loads(line)
    assert ids(read(line).query.retrieved) == ["k9"]


def test_nothing_retrieved_and_unknown_stay_apart() -> None:
    nothing, unknown = ragas_lines([query_of(retrieved=[]), query_of(id="8")], {})
    assert (read(nothing).query.retrieved, read(unknown).query.retrieved) == ([], None)


def test_a_data_set_of_the_real_tool_comes_back_as_it_was() -> None:
    found = read_file("ragas_0_4.jsonl")
    written = [json.loads(line) for line in ragas_lines(found.queries, found.chunks)]
    given = [json.loads(line) for line in (FILES / "ragas_0_4.jsonl").read_text(encoding="utf-8").splitlines()]
    given[1]["reference_context_ids"] = ["r2", "3"]
    for row, before in zip(written, given, strict=True):
        assert {name: value for name, value in before.items() if name != "query_style"}.items() <= row.items()
