"""The classifier: the oracle rows, the order of its tests, and that nothing missing ever falls through."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.facts import cite, claim, claims, facts
from triage.core.classifier import OTHERWISE, Classification, classify, label_of
from triage.core.labels import FOUR_CLASSES, SUGGESTION_LABELS, is_sub_cause_of
from triage.core.metrics import DecidingMetrics, Metric, Missing, QueryFacts, measure
from triage.core.policy import DEFAULT_POLICY, Policy

MISS, UNSUPPORTED, WRONG_QUESTION, STILL = (str(label) for label in FOUR_CLASSES)
METRICS = st.one_of(st.floats(min_value=0, max_value=1), st.just(math.nan), st.sampled_from(list(Missing)))


def filed(
    recall: Metric, faithfulness: Metric, relevance: Metric, *, policy: Policy = DEFAULT_POLICY, **other: Any
) -> Classification:
    """Classify a failing query whose metrics are the given ones."""
    query = facts(claims=claims(1, 1), **other)
    metrics = dataclasses.replace(
        measure(query), context_recall=recall, faithfulness=faithfulness, answer_relevance=relevance
    )
    return classify(query, metrics, policy)


def told(query: QueryFacts, policy: Policy = DEFAULT_POLICY) -> Classification:
    """Classify a failing query by its own metrics."""
    return classify(query, measure(query), policy)


@pytest.mark.parametrize(
    ("recall", "faithfulness", "relevance", "label"),
    [
        (0.4999, 1.0, 1.0, MISS),
        (0.5, 0.85, 0.70, STILL),
        (0.5, 0.8499, 0.0, UNSUPPORTED),
        (0.5, 0.85, 0.6999, WRONG_QUESTION),
        (0.0, 0.0, 0.0, MISS),
    ],
)
def test_O20_each_test_claims_only_what_those_above_declined(
    recall: float, faithfulness: float, relevance: float, label: str
) -> None:
    assert filed(recall, faithfulness, relevance).label == label


def test_O20b_three_nan_are_unscored_and_never_still_wrong() -> None:
    result = filed(math.nan, math.nan, math.nan)
    assert (result.label, result.would_be, result.missing) == ("unscored", "", Missing.MISSING)


def test_O21_one_unsupported_claim_fails_an_answer_of_six_and_passes_one_of_seven() -> None:
    six = facts(claims=claims(5, 6), relevance=0.9)
    seven = facts(claims=claims(6, 7), relevance=0.9)
    assert (told(six).label, told(seven).label) == (UNSUPPORTED, STILL)


@given(recall=METRICS, faithfulness=METRICS, relevance=METRICS, answerable=st.booleans(), abstained=st.booleans())
def test_every_failing_query_gets_exactly_one_label_and_a_missing_value_never_still_wrong(
    recall: Metric, faithfulness: Metric, relevance: Metric, answerable: bool, abstained: bool
) -> None:
    result = filed(recall, faithfulness, relevance, answerable=answerable, abstained=abstained)
    asked = [recall] * answerable + [faithfulness, relevance] * (not abstained)
    values = [None if isinstance(value, Missing) or math.isnan(value) else value for value in asked]
    assert result.label in SUGGESTION_LABELS
    if result.label == STILL:
        assert None not in values
    if None in values and result.label != "unscored":
        assert values.index(None) > next(n for n, value in enumerate(values) if value is not None and value < 0.85)
    assert (result.label == "unscored") == bool(result.missing)
    assert result.would_be == "" or result.label == "unscored"
    assert is_sub_cause_of(result.label, result.proposed_sub_cause)
    assert all(math.isfinite(margin) for margin in result.margins.values())
    query = facts(claims=claims(1, 1), answerable=answerable, abstained=abstained)
    assert label_of(query, DecidingMetrics(recall, faithfulness, relevance), DEFAULT_POLICY) == result.label
    assert result.reasons
    assert not any(word in " ".join(result.reasons) for word in ("nan", "None"))


@given(
    recall=st.floats(min_value=0, max_value=1),
    faithfulness=st.floats(min_value=0, max_value=1),
    relevance=st.floats(min_value=0, max_value=1),
)
def test_the_order_of_the_tests_is_the_label(recall: float, faithfulness: float, relevance: float) -> None:
    expected = MISS if recall < 0.5 else UNSUPPORTED if faithfulness < 0.85 else None
    expected = expected or (WRONG_QUESTION if relevance < 0.70 else STILL)
    assert filed(recall, faithfulness, relevance).label == expected


@pytest.mark.parametrize(
    ("recall", "faithfulness", "relevance", "missing", "would_be"),
    [
        (Missing.NO_GOLD, 0.5, 0.9, Missing.NO_GOLD, UNSUPPORTED),
        (Missing.NO_GOLD, 0.9, 0.5, Missing.NO_GOLD, WRONG_QUESTION),
        (Missing.NO_GOLD, 0.9, 0.9, Missing.NO_GOLD, STILL),
        (Missing.UNKNOWN_RETRIEVAL, 0.9, 0.9, Missing.UNKNOWN_RETRIEVAL, STILL),
        (Missing.NO_GOLD, Missing.JUDGE_ERROR, 0.5, Missing.NO_GOLD, WRONG_QUESTION),
        (Missing.NO_GOLD, Missing.JUDGE_ERROR, 0.9, Missing.NO_GOLD, ""),
        (Missing.NO_GOLD, 0.9, Missing.NOT_SCORED, Missing.NO_GOLD, ""),
        (1.0, Missing.JUDGE_ERROR, 0.5, Missing.JUDGE_ERROR, WRONG_QUESTION),
        (1.0, Missing.JUDGE_ERROR, 0.9, Missing.JUDGE_ERROR, STILL),
        (1.0, 0.9, Missing.NOT_SCORED, Missing.NOT_SCORED, STILL),
    ],
)
def test_unscored_names_the_missing_value_and_the_first_later_test_that_fires(
    recall: Metric, faithfulness: Metric, relevance: Metric, missing: Missing, would_be: str
) -> None:
    result = filed(recall, faithfulness, relevance)
    assert (result.label, result.missing, result.would_be) == ("unscored", missing, would_be)


def test_a_missing_value_behind_the_test_that_fires_does_not_matter() -> None:
    assert filed(0.2, Missing.JUDGE_ERROR, Missing.NOT_SCORED).label == MISS
    assert filed(1.0, 0.2, Missing.NOT_SCORED).label == UNSUPPORTED


def test_an_unanswerable_query_is_not_asked_for_recall() -> None:
    result = told(facts(answerable=False, gold="", claims=claims(3, 4), relevance=0.9))
    assert (result.label, result.proposed_sub_cause) == (UNSUPPORTED, "should_have_abstained")
    assert "context recall not asked: the corpus holds no answer" in result.reasons


def test_an_abstention_is_asked_for_recall_alone() -> None:
    over = told(facts(abstained=True, answer="I don't know."))
    assert (over.label, over.test, over.proposed_sub_cause) == (STILL, OTHERWISE, "over_abstention")
    rightly = told(facts(context="B", gold="A", abstained=True))
    assert (rightly.label, rightly.proposed_sub_cause) == (MISS, "abstained_rightly")


def test_an_answer_without_claims_goes_on_to_relevance() -> None:
    assert told(facts(claims=(), relevance=0.2)).label == WRONG_QUESTION
    assert told(facts(claims=(), relevance=0.8)).label == STILL


def test_no_gold_on_an_answerable_query_is_unscored() -> None:
    result = told(facts(gold=None, claims=claims(1, 2), relevance=0.9))
    assert (result.label, result.missing, result.would_be) == ("unscored", Missing.NO_GOLD, UNSUPPORTED)


@pytest.mark.parametrize("correct", [True, None])
def test_only_failing_queries_are_classified(correct: bool | None) -> None:
    with pytest.raises(ValueError, match="only failing"):
        told(facts(correct=correct))


def test_margins_go_to_every_threshold_that_has_a_value() -> None:
    result = filed(0.75, 0.5, Missing.NOT_SCORED)
    assert result.margins == {"context_recall": 0.25, "faithfulness": pytest.approx(-0.35)}
    assert (result.test, result.value, result.threshold) == ("faithfulness", 0.5, 0.85)


@pytest.mark.parametrize(
    ("recall", "faithfulness", "relevance", "near"),
    [
        (1.0, 0.84, 0.2, True),  # just under the threshold that filed it
        (0.51, 0.2, 0.2, True),  # just over a threshold that let it pass
        (1.0, 0.5, 0.71, False),  # near a threshold it was never held against
        (0.0, 0.86, 0.71, False),
        (1.0, 1.0, 1.0, False),
    ],
)
def test_near_is_a_small_margin_to_a_test_the_label_rests_on(
    recall: float, faithfulness: float, relevance: float, near: bool
) -> None:
    assert filed(recall, faithfulness, relevance).near is near


def test_the_thresholds_are_those_of_the_policy() -> None:
    strict = Policy(context_recall=1.0)
    assert filed(0.75, 1.0, 1.0, policy=strict).label == MISS


def test_reasons_are_sentences_with_their_counts() -> None:
    query = facts(context="A X", gold="A B", candidates="A X Y", claims=claims(3, 4), relevance=0.9)
    assert told(query).reasons == (
        "context recall 0.50 ≥ 0.50: 1 of 2 gold chunks reached the prompt, 1 not among the candidates",
        "faithfulness 0.75 < 0.85: 3 of 4 claims supported",
    )
    assert told(facts(claims=claims(1, 1), relevance=0.42)).reasons[-1] == "answer relevance 0.42 < 0.70"
    assert told(facts(claims=claims(1, 1), relevance=0.7)).reasons[-2:] == (
        "answer relevance 0.70 ≥ 0.70",
        "every test passed and the answer is wrong all the same",
    )


def test_a_reason_never_shows_a_value_on_the_wrong_side_of_its_threshold() -> None:
    assert filed(0.4999, 1.0, 1.0).reasons[0].startswith("context recall 0.4999 < 0.50")
    assert filed(1.0, 0.849999999, 1.0).reasons[1].startswith("faithfulness 0.849999999 < 0.85")


def test_an_unscored_query_says_what_is_missing_and_where_it_would_go() -> None:
    query = facts(gold=None, claims=(claim("a"), claim("b", None)), relevance=0.5)
    assert told(query).reasons == (
        "context recall has no value: no gold chunks are known for it",
        "faithfulness has no value: 1 of 2 claims without a usable score",
        "answer relevance 0.50 < 0.70",
        "unscored: the later tests would file it under grounded_wrong_question",
    )


@pytest.mark.parametrize(
    ("query", "sub_cause"),
    [
        (facts(context="X", gold="A", candidates="X Y"), "unreachable"),
        (facts(context="X", gold="A", candidates="X A"), "ranked_out"),
        (facts(context="X", gold="A B C", candidates="X A B"), "ranked_out"),
        (facts(context="X", gold="A B", candidates="X A"), "unreachable"),
        (facts(claims=(claim("c", False, "", (cite("Z", None, in_context=False),)),)), "fabricated_citation"),
        (facts(claims=(dataclasses.replace(claim("c", False), contradicted=True),)), "contradicts_evidence"),
        (facts(claims=claims(0, 1)), ""),
        (facts(relevance=0.1), ""),
        (facts(answerable=False, gold="", relevance=0.1), "should_have_abstained"),
        (facts(answerable=False, gold="", relevance=0.9), "should_have_abstained"),
        (facts(context="A B", claims=(claim("c", True, "B"),), relevance=0.9), "buried_evidence"),
        (facts(claims=claims(1, 1), relevance=0.9), ""),
        (
            facts(context="A B", claims=(claim("c", True, "B"),), relevance=0.9, superseded=frozenset("B")),
            "superseded_document",
        ),
    ],
)
def test_a_sub_cause_is_proposed_only_where_the_facts_speak_for_one(query: QueryFacts, sub_cause: str) -> None:
    assert told(query).proposed_sub_cause == sub_cause
