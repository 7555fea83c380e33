"""Recorded scores of a whole answer: when they count, and when they only stand beside ours."""

from __future__ import annotations

import math

import pytest

from tests.core.facts import claim, claims, facts
from triage.core.classifier import classify
from triage.core.metrics import Missing, QueryFacts, QueryMetrics, measure
from triage.core.policy import DEFAULT_POLICY
from triage.core.recorded_scores import DEFINITIONS, RecordedScore, stand_in, usable


def standing(query: QueryFacts, *scores: RecordedScore, claims_recorded: bool = False) -> QueryMetrics:
    return stand_in(query, measure(query), scores, claims_recorded=claims_recorded)[1]


def test_a_score_without_a_tool_is_the_recorded_judges_word_on_the_answer() -> None:
    assert standing(facts(claims=claims(1, 1)), RecordedScore("faithfulness", 0.4)).faithfulness == 0.4
    assert standing(facts(claims=(claim("c", None),)), RecordedScore("faithfulness", 0.4)).faithfulness == 0.4


def test_recorded_verdicts_on_the_claims_go_before_the_score_of_the_whole() -> None:
    metrics = standing(facts(claims=claims(1, 1)), RecordedScore("faithfulness", 0.4), claims_recorded=True)
    assert metrics.faithfulness == 1.0


def test_what_ids_decide_is_never_replaced_and_only_filled_in() -> None:
    score = RecordedScore("context_recall", 0.4)
    assert standing(facts(), score).context_recall == 1.0
    assert standing(facts(gold=None), score).context_recall == 0.4
    assert standing(facts(answerable=False, gold=""), score).context_recall is Missing.NOT_ANSWERABLE


def test_an_abstention_and_an_answer_without_claims_stay_what_they_are() -> None:
    assert standing(facts(abstained=True), RecordedScore("answer_relevance", 1.0)).answer_relevance is Missing.ABSTAINED
    assert standing(facts(claims=()), RecordedScore("faithfulness", 1.0)).faithfulness is Missing.NO_CLAIMS


@pytest.mark.parametrize(
    ("definition", "expected"), [("claims_joined_context", Missing.JUDGE_ERROR), (DEFINITIONS["faithfulness"], 0.4)]
)
def test_another_tools_score_stands_in_only_under_our_definition(definition: str, expected: object) -> None:
    score = RecordedScore("faithfulness", 0.4, tool="ragas", definition=definition)
    assert standing(facts(claims=(claim("c", None),)), score).faithfulness == expected
    assert standing(facts(claims=claims(1, 1)), score).faithfulness == 1.0


def test_ours_goes_before_a_tools() -> None:
    entries = [
        {"metric": "faithfulness", "value": 0.1, "tool": "t", "definition": DEFINITIONS["faithfulness"]},
        {"metric": "faithfulness", "value": 0.9},
    ]
    assert standing(facts(claims=(claim("c", None),)), *usable(entries)).faithfulness == 0.9


def test_P14_a_recorded_zero_is_a_zero_and_the_reason_says_where_it_is_from() -> None:
    query, metrics = stand_in(
        facts(claims=claims(1, 1), relevance=0.9),
        measure(facts(claims=claims(1, 1), relevance=0.9)),
        [RecordedScore("faithfulness", 0.0)],
        claims_recorded=False,
    )
    result = classify(query, metrics, DEFAULT_POLICY)
    assert result.label == "unsupported_claims"
    assert result.reasons[-1] == "faithfulness 0.00 < 0.85: as recorded in the file"


@pytest.mark.parametrize(
    "entry",
    [
        {"metric": "faithfulness", "value": None},
        {"metric": "faithfulness", "value": math.nan},
        {"metric": "faithfulness", "value": 4, "scale": [1, 5]},
        {"metric": "faithfulness", "value": 0.5, "scale": [0, 10]},
        {"metric": "faithfulness", "value": True},
        {"metric": "faithfulness", "value": "0.5"},
        {},
    ],
)
def test_what_is_no_number_on_our_scale_is_not_used(entry: dict[str, object]) -> None:
    assert usable([entry]) == []


def test_a_metric_of_another_name_is_kept_out() -> None:
    assert standing(facts(gold=None), *usable([{"metric": "rouge.l", "value": 0.4}])) == measure(facts(gold=None))
