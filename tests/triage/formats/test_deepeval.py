"""DeepEval test runs: a file of the real tool, and statuses that contradict each other."""

from __future__ import annotations

import gzip
import json
from secrets import token_hex
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, read_file, refused
from triage.formats.around import TAIL
from triage.formats.identity import text_id

CASE: dict[str, Any] = {
    "name": "test_case_0",
    "input": "How long is the warranty?",
    "actualOutput": "Two years.",
    "expectedOutput": "Two years.",
    "retrievalContext": ["Two years on everything."],
    "success": True,
    "metricsData": [{"name": "Faithfulness", "threshold": 0.5, "success": True, "score": 1.0}],
}


def document(*cases: dict[str, Any], **more: Any) -> str:
    return json.dumps({"testFile": "t.py", "testCases": list(cases), "conversationalTestCases": [], **more})


def test_a_test_run_written_by_deepeval_4_3_is_read_field_by_field() -> None:
    found = read_file("deepeval_test_run.json")
    assert (found.format, found.errors) == ("deepeval", [])
    first, second, third = found.queries
    assert (first.question, first.answer, first.reference) == (
        "How long is the warranty?",
        "The warranty lasts two years.",
        "Two years.",
    )
    warranty = text_id("Every kettle carries a warranty of two years.")
    assert (ids(first.retrieved)[0], first.gold, len(found.chunks)) == (warranty, [warranty], 2)
    assert (first.latency_ms, first.correct, second.correct, third.correct) == (1250.0, True, False, False)
    scores = [(s.metric, s.value, s.judge, s.tool, s.definition) for s in first.scores]
    assert scores == [
        ("Faithfulness", 1.0, "house-judge-1", "deepeval", "claims_not_contradicted_by_context"),
        ("Answer Relevancy", 0.92, "house-judge-1", "deepeval", "statements_relevant_to_input"),
    ]
    assert first.scores[0].meta == {
        "threshold": 0.5,
        "success": True,
        "reason": "All claims follow.",
        "flaky": False,
    }
    assert (third.retrieved, third.gold) == (None, None), "DeepEval drops an empty list when it saves"


def test_hyperparameters_are_the_settings_of_the_run() -> None:
    assert read_file("deepeval_test_run.json").run.config == {"k": 2, "model": "house-llm-1"}


@pytest.mark.parametrize("first", [True, False])
def test_hyperparameters_are_found_before_and_after_the_cases_and_at_no_other_depth(first: bool) -> None:
    settings = {"hyperparameters": {"k": "5", "temperature": 0.2, "prompt": 'say "hyperparameters": {"k": 9}'}}
    case = {**CASE, "metadata": {"hyperparameters": {"k": 1}}}
    cases = {"testCases": [case] * 3, "comments": [{"hyperparameters": {"k": 2}}]}
    found = read(json.dumps({**settings, **cases} if first else {**cases, **settings, "testPassed": 3}))
    assert found.run.config == {"k": 5, "temperature": 0.2, "prompt": 'say "hyperparameters": {"k": 9}'}
    assert len(found.queries) == 3


@pytest.mark.parametrize("odd", [None, [], "x", 3])
def test_hyperparameters_that_are_no_settings_are_none(odd: object) -> None:
    assert read(document(CASE, hyperparameters=odd)).run.config == {}


def test_hyperparameters_after_many_cases_are_found_unless_the_file_is_compressed() -> None:
    text = document(
        *[{**CASE, "name": token_hex(200), "input": f"{n}?"} for n in range(2_000)], hyperparameters={"k": "2"}
    )
    assert len(text) > 2 * TAIL
    plain, packed = read(text), read(gzip.compress(text.encode()))
    assert (plain.run.config, packed.run.config) == ({"k": 2}, {})
    assert len(plain.queries) == len(packed.queries) == 2_000


def test_hyperparameters_a_thousand_times_are_no_work() -> None:
    case = {**CASE, "metadata": [{"hyperparameters": {"k": n}} for n in range(3_000)]}
    assert read(document(case)).run.config == {}


def test_P14_a_metric_that_failed_without_finding_anything_wrong_is_put_forward() -> None:
    found = read_file("deepeval_test_run.json")
    assert [query.slice for query in found.queries] == [{}, {"score_check": "reason disagrees"}, {}]
    assert found.notices["reason_disagrees"].examples == ("Faithfulness",)
    assert found.queries[1].scores[0].value == 0.0


def test_P14_the_status_of_a_case_follows_from_its_metrics_not_from_its_own_flag() -> None:
    found = read(document({**CASE, "success": False}))
    assert found.query.correct is True
    assert found.notices["status_disagrees"].examples == ("test_case_0",)


@pytest.mark.parametrize(
    ("metrics", "correct"),
    [
        ([], None),
        ([{"name": "A", "success": None, "error": "timeout"}], None),
        ([{"name": "A", "success": True}, {"name": "B", "success": None}], None),
        ([{"name": "A", "success": False}, {"name": "B", "success": None}], False),
        ([{"name": "A", "success": True}, {"name": "B", "success": False, "flaky": True}], True),
    ],
)
def test_a_metric_that_gave_no_result_leaves_the_case_undecided(metrics: list[Any], correct: bool | None) -> None:
    assert read(document({**CASE, "metricsData": metrics})).query.correct is correct


def test_P10_a_metric_that_failed_to_run_is_missing_with_its_reason_never_0() -> None:
    (score,) = read(document({**CASE, "metricsData": [{"name": "A", "error": "timeout", "score": None}]})).query.scores
    assert (score.value, score.meta) == (None, {"error": "timeout"})


def test_a_saved_data_set_of_test_cases_is_read_by_its_other_names() -> None:
    rows = [
        {"input": "How?", "actual_output": "So.", "expected_output": "So.", "retrieval_context": ["a"], "context": None}
    ]
    found = read(json.dumps(rows, indent=1))
    assert (found.format, found.query.answer, found.query.reference) == ("deepeval", "So.", "So.")


def test_an_empty_retrieval_context_is_retrieved_nothing() -> None:
    assert read(document({**CASE, "retrievalContext": []})).query.retrieved == []


@pytest.mark.parametrize(
    ("change", "field"), [({"input": None}, "input"), ({"retrievalContext": [{"url": "x"}]}, "retrieval_context")]
)
def test_a_case_that_cannot_be_read_is_a_row_error(change: dict[str, Any], field: str) -> None:
    assert read(document(CASE, {**CASE, **change})).error.field == field


def test_a_run_of_conversations_alone_is_refused() -> None:
    error = refused(json.dumps({"testCases": [], "conversationalTestCases": [{"turns": []}]}))
    assert "DeepEval" in error.expected


def test_cases_of_one_pytest_function_share_a_name_and_stay_apart() -> None:
    found = read(document(CASE, {**CASE, "input": "Why?"}))
    assert (len({query.id for query in found.queries}), found.errors) == (2, [])
