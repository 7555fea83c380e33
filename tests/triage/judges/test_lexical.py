"""The judge of shared words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.judging import ChunkText, ClaimText, GroundingItem, RelevanceItem
from triage.judges.lexical import (
    GROUNDING_THRESHOLD,
    RELEVANCE_THRESHOLD,
    SHORT_ANSWER_SCORE,
    LexicalGrounding,
    LexicalRelevance,
)
from triage.judges.words import read, stem

CHUNK = (
    "Refunds are handled by the billing team. The refund window is 30 days for the business plan. Gift cards stay out."
)


def score(claim: str, chunk: str = CHUNK) -> float:
    item = GroundingItem("i", "", (ClaimText("a", claim),), (ChunkText("c", chunk),))
    value = LexicalGrounding().ground([item])[0][0].score
    assert value is not None
    return value


def relevance(question: str, answer: str) -> float | None:
    word = LexicalRelevance().rate([RelevanceItem("i", question, answer)])[0]
    return None if word is None else word.score


def test_a_sentence_of_the_chunk_is_supported_and_a_foreign_one_is_not() -> None:
    assert score("The refund window is 30 days for the business plan.") >= GROUNDING_THRESHOLD
    assert score("The office opens at nine in the morning.") < GROUNDING_THRESHOLD


def test_a_changed_number_a_foreign_name_and_a_missing_not_lower_the_score() -> None:
    said = score("The refund window is 30 days for the business plan.")
    assert score("The refund window is 45 days for the business plan.") < said
    assert score("The refund window is 30 days for the Falcon plan.") < said
    assert score("The refund window is not 30 days for the business plan.") < said


def test_number_words_and_digit_groups_are_compared_by_value() -> None:
    assert read("thirty-one, two and 1,000.50").numbers == {"2", "1000.5", "1"}
    assert read("007").numbers == {"7"}
    assert read("0").numbers == {"0"}


@pytest.mark.parametrize(
    ("one", "other"), [("refunds", "refund"), ("installed", "install"), ("running", "run"), ("cities", "citied")]
)
def test_inflected_words_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_the_evidence_is_the_sentence_that_shares_most() -> None:
    item = GroundingItem("i", "", (ClaimText("a", "The refund window is 30 days."),), (ChunkText("c", CHUNK),))
    start, end = LexicalGrounding().ground([item])[0][0].evidence or (0, 0)
    assert CHUNK[start:end] == "The refund window is 30 days for the business plan."


def test_no_shared_word_means_no_evidence_and_a_claim_without_words_scores_zero() -> None:
    item = GroundingItem("i", "", (ClaimText("a", "Whales sing."), ClaimText("b", "?!")), (ChunkText("c", CHUNK),))
    whales, nothing = LexicalGrounding().ground([item])[0]
    assert whales.evidence is None
    assert nothing.score == 0.0


def test_an_answer_on_the_question_passes_and_one_beside_it_does_not() -> None:
    question = "How long is the refund window of the business plan?"
    on, off = (
        relevance(question, "The refund window of the business plan is 30 days."),
        relevance(question, "Renewals happen in March."),
    )
    assert on is not None
    assert off is not None
    assert off < RELEVANCE_THRESHOLD <= on


def test_a_refusal_is_not_relevant() -> None:
    value = relevance("How long is the refund window?", "The documents do not answer this question.")
    assert value is not None
    assert value < RELEVANCE_THRESHOLD


def test_a_short_answer_gets_the_benefit_of_the_doubt() -> None:
    assert relevance("What is the capital of France?", "Paris") == SHORT_ANSWER_SCORE


@pytest.mark.parametrize(("question", "answer"), [("", "Thirty days."), ("Why?", " \n"), ("?", "Thirty days.")])
def test_without_a_question_or_an_answer_there_is_no_word(question: str, answer: str) -> None:
    assert relevance(question, answer) is None


@given(
    st.lists(st.sampled_from(["Refunds take days.", "Plans renew.", "Ask support."]), min_size=1, max_size=4),
    st.integers(0, 3),
)
def test_a_chunk_that_holds_the_claim_word_for_word_always_supports_it(sentences: list[str], place: int) -> None:
    claim = "The export of the audit log needs the business plan."
    sentences.insert(place, claim)
    assert score(claim, " ".join(sentences)) >= GROUNDING_THRESHOLD
