"""ragas files as ragas writes them, as pandas mangles them, and as an attacker would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, read_file, refused
from triage.formats.identity import text_id

ROW: dict[str, Any] = {
    "user_input": "How long is the warranty?",
    "retrieved_contexts": ["Two years for kettles.", "Shipping takes three days."],
    "response": "Two years.",
    "reference": "Two years.",
}
OLD: dict[str, Any] = {
    "question": "How long is the warranty?",
    "contexts": ["Two years for kettles."],
    "answer": "Two years.",
    "ground_truth": "Two years.",
}


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["ragas_0_4.jsonl", "ragas_0_4.csv"])
def test_a_data_set_written_by_ragas_0_4_is_read_field_by_field(name: str) -> None:
    found = read_file(name)
    assert (found.format, found.errors, len(found.queries)) == ("ragas", [], 3)
    first, second, third = found.queries
    assert (first.question, first.answer, first.reference) == (
        "How long is the warranty?",
        "The warranty lasts two years.",
        "Two years.",
    )
    assert (ids(first.retrieved), first.gold, first.slice) == (["k1", "s7"], ["k1"], {"query_style": "formal"})
    assert found.chunks["s7"] == 'Shipping takes three days, "free" over €50.'
    assert found.chunks["o'1"] == "It's sold with a \\ backslash and 'quotes'."
    assert (second.question, second.gold) == ("Can I return a used kettle?\nI lost the box.", ["r2", "3"])
    assert (third.question, third.retrieved, third.gold) == ("Wer hat den Laden gegründet? 🧀", [], ["f1"])


def test_the_csv_and_the_jsonl_of_a_data_set_are_the_same_run() -> None:
    assert read_file("ragas_0_4.csv").reader.content_hash() == read_file("ragas_0_4.jsonl").reader.content_hash()


def test_a_conversation_becomes_its_last_question_with_what_was_said_before() -> None:
    query = read_file("ragas_0_4_multi_turn.jsonl").query
    assert (query.question, query.answer) == ("How long is the warranty?", "Two years.")
    assert [(turn.speaker, turn.text) for turn in query.conversation] == [
        ("human", "Hello"),
        ("ai", "Hi, what can I do?"),
    ]


def test_names_of_ragas_0_1_are_read_and_the_version_is_kept() -> None:
    found = read(jsonl({**OLD, "faithfulness": 0.5}))
    query = found.query
    assert (query.question, query.answer, query.reference) == (OLD["question"], OLD["answer"], OLD["ground_truth"])
    assert found.chunks == {text_id(OLD["contexts"][0]): OLD["contexts"][0]}
    (score,) = query.scores
    assert (score.tool, score.version, score.definition) == ("ragas", "0.1", "claims_joined_context")
    assert found.run.meta == {"producer": "ragas", "producer_version": "0.1"}


def test_several_ground_truths_give_the_first_as_reference() -> None:
    row = {key: value for key, value in OLD.items() if key != "ground_truth"}
    assert read(jsonl({**row, "ground_truths": ["Two years.", "24 months."]})).query.reference == "Two years."


def test_the_contexts_of_a_generated_test_set_are_gold_not_retrieved() -> None:
    row = {"question": "How?", "contexts": ["So."], "ground_truth": "So.", "evolution_type": "simple", "metadata": [{}]}
    found = read(jsonl(row))
    assert (found.query.retrieved, found.query.gold) == (None, [text_id("So.")])
    assert (found.query.answer, found.query.slice) == (None, {"evolution_type": "simple"})
    assert found.chunks == {text_id("So."): "So."}


def test_gold_texts_are_matched_to_retrieved_texts_whatever_their_white_space() -> None:
    row = {**ROW, "reference_contexts": ["Two years  for kettles.\n", "Never retrieved."]}
    found = read(jsonl(row))
    assert found.query.gold == [text_id("Two years for kettles."), text_id("Never retrieved.")]
    assert found.query.gold[0] == ids(found.query.retrieved)[0]
    assert (found.chunk_lines[0].text, len(found.chunk_lines)) == ("Never retrieved.", 1)
    assert found.notices["gold_by_text"].count == 1


def test_gold_texts_are_matched_to_the_ids_the_retrieved_texts_came_with() -> None:
    row = {**ROW, "retrieved_context_ids": ["a", "b"], "reference_contexts": ["Shipping takes three days."]}
    assert read(jsonl(row)).query.gold == ["b"]


def test_scores_of_a_result_carry_tool_version_and_definition() -> None:
    row = {**ROW, "faithfulness": 0.75, "factual_correctness(mode=f1)": 0.4, "my_metric": 3}
    scores = {score.metric: score for score in read(jsonl(row)).query.scores}
    assert {name: (s.value, s.tool, s.version, s.definition) for name, s in scores.items()} == {
        "faithfulness": (0.75, "ragas", "0.2+", "claims_joined_context"),
        "factual_correctness(mode=f1)": (0.4, "ragas", "0.2+", "claims_f1_to_reference"),
        "my_metric": (3.0, "ragas", "0.2+", ""),
    }


@pytest.mark.parametrize("cell", ["", "nan", "NaN"])
def test_F28_a_score_that_is_empty_or_nan_in_a_csv_is_missing_and_never_zero(cell: str) -> None:
    found = read(f"user_input,response,faithfulness\nHow?,So.,{cell}\n")
    (score,) = found.query.scores
    assert (score.metric, score.value) == ("faithfulness", None)
    assert found.notices["not_finite"].count == 1


def test_P29_score_names_with_dots_and_underscores_are_kept_as_given() -> None:
    row = {**ROW, "rouge.l": 0.4, "a b": 1, "__class__": 1}
    assert {score.metric for score in read(jsonl(row)).query.scores} == {"rouge.l", "a b", "__class__"}


def test_P29_an_empty_score_name_is_refused_with_its_row() -> None:
    assert read(jsonl(ROW, {**ROW, "user_input": "Why?", "": 0})).error.line == 2


def test_a_data_frames_index_column_is_left_out() -> None:
    found = read(",user_input,response\n0,How?,So.\n1,Why?,Because.\n")
    assert (found.format, [query.scores for query in found.queries]) == ("ragas", [[], []])
    assert found.notices["unnamed_column"].count == 1


CELLS = [
    "__import__('os').system('true')",
    "[__import__('os')]",
    "['a', open('x')]",
    "[x for x in (1,)]",
    "lambda: 0",
    "['a', f'{1}']",
    "['unclosed",
    "two texts",
    "[" * 5000 + "]" * 5000,
    "{'a': 1}",
]


@pytest.mark.parametrize("cell", CELLS)
def test_a_hostile_list_cell_is_a_row_error_and_never_evaluated(cell: str) -> None:
    quoted = cell.replace('"', '""')
    found = read(f'user_input,retrieved_contexts,response\nHow?,"{quoted}",So.\nWhy?,[],Because.\n')
    assert (found.error.line, found.error.field, len(found.queries)) == (2, "retrieved_contexts", 1)
    assert "no list" in found.error.found


def test_an_item_of_a_list_that_is_code_stays_the_text_it_is() -> None:
    found = read("user_input,retrieved_contexts\nHow?,\"['__import__(''os'')', 'ok']\"\n".replace("''", "\\'"))
    assert list(found.chunks.values()) == ["__import__('os')", "ok"]


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ('["a, b", "c"]', ["a, b", "c"]),
        ("['a, b', \"it's\"]", ["a, b", "it's"]),
        (r"['line\nbreak', 'caf\u00e9']", ["line\nbreak", "café"]),
        ("('a', 'b')", ["a", "b"]),
        ("['a',]", ["a"]),
        ("['first text'\n 'second text']", ["first text", "second text"]),
        ("[]", []),
    ],
)
def test_F37_lists_in_cells_are_read_as_json_python_or_numpy_wrote_them(cell: str, texts: list[str]) -> None:
    quoted = cell.replace('"', '""')
    found = read(f'user_input,retrieved_contexts\nHow?,"{quoted}"\n')
    assert found.errors == []
    assert found.query.retrieved is not None
    assert [slot.text for slot in found.query.retrieved] == texts


@pytest.mark.parametrize("column", ["retrieved_contexts", "contexts"])
def test_an_empty_list_is_nothing_retrieved_and_an_empty_cell_is_not_said(column: str) -> None:
    name = "user_input" if column == "retrieved_contexts" else "question"
    found = read(f"{name},{column}\nWhy?,[]\nHow?,\n")
    assert [query.retrieved for query in found.queries] == [[], None]


def test_a_list_cell_of_megabytes_is_read_without_evaluating_it() -> None:
    texts = [f"chunk {number} " + "x" * 2000 for number in range(900)]
    found = read(f'user_input,retrieved_contexts\nHow?,"{texts!r}"\n')
    assert [slot.text for slot in found.query.retrieved or ()] == texts


def test_a_json_file_with_a_list_per_column_is_turned_around() -> None:
    columns = {key: [OLD[key], OLD[key]] for key in OLD} | {"question": ["How?", "Why?"]}
    found = read(json.dumps(columns, indent=1))
    assert (found.format, [query.question for query in found.queries]) == ("ragas", ["How?", "Why?"])


def test_columns_of_different_lengths_are_not_read() -> None:
    assert refused(json.dumps({"question": ["a", "b"], "contexts": [["c"]]})).errors[0].found.startswith("columns of")


def test_the_same_question_has_the_same_id_in_every_file_and_a_number_when_it_comes_twice() -> None:
    first, again = read(jsonl(ROW, {**ROW, "response": "One year."})).queries
    assert again.id == f"{first.id}-2"
    assert read(jsonl(OLD)).query.id == first.id


def test_two_ids_for_three_texts_are_a_row_error() -> None:
    error = read(jsonl({**ROW, "retrieved_context_ids": ["a"]}, {**ROW, "user_input": "x"})).error
    assert (error.field, error.found) == ("retrieved_context_ids", "1 ids for 2 texts")


def test_the_same_chunk_id_with_another_text_gets_an_id_of_its_own() -> None:
    rows = [
        {**ROW, "user_input": str(n), "retrieved_contexts": [f"text {n}"], "retrieved_context_ids": ["0"]}
        for n in (1, 2)
    ]
    found = read(jsonl(*rows))
    first, second = (ids(query.retrieved)[0] for query in found.queries)
    assert (first, second.startswith("0#"), found.chunks[second]) == ("0", True, "text 2")
    assert found.notices["chunk_id_reused"].examples == ("0",)


def test_a_file_of_another_tool_read_as_ragas_says_which_tool_it_looks_like() -> None:
    data = json.dumps([{"query": "a", "gt_answer": "b", "retrieved_context": []}])
    error = refused(data, "ragas")
    assert "RAGChecker" in error.remedy
    assert "ragas" in error.expected
