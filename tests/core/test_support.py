"""Support of a claim from the words of several judges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.support import Decision, Heard, Word, decide, decide_heard, on_pair, word

CONTEXT = frozenset("AB")
WORDS = st.lists(
    st.builds(Word, chunk=st.sampled_from([None, "A", "B", "far"]), supports=st.sampled_from([True, False, None])),
    max_size=4,
)


@pytest.mark.parametrize(
    ("value", "label", "supports"),
    [
        (0.5, "", True),
        (0.4999, "", False),
        (None, "", None),
        (math.nan, "", None),
        (1.2, "", None),
        (0.9, "unsupported", False),
        (0.1, "supported", True),
        (None, "contradicted", False),
        (0.9, "unsure", None),
    ],
)
def test_a_label_wins_over_its_score_and_the_threshold_is_included(
    value: float | None, label: str, supports: bool | None
) -> None:
    assert word("A", value, label, threshold=0.5).supports is supports


def test_the_first_judge_with_a_word_decides_and_the_others_fill_what_is_missing() -> None:
    yes, no = [Word("A", True)], [Word("A", False)]
    assert decide([("first", no), ("second", yes)], CONTEXT).supported is False
    assert decide([("first", []), ("second", yes)], CONTEXT).judge == "second"


def test_one_single_chunk_is_enough_and_all_that_support_are_named() -> None:
    words = [Word("A", True), Word("B", True), Word("A", False)]
    assert decide([("j", words)], CONTEXT) == Decision(True, frozenset("AB"), judge="j")


def test_a_word_on_a_chunk_outside_the_context_is_no_word() -> None:
    assert decide([("j", [Word("far", True)])], CONTEXT).supported is None
    assert decide([("j", [Word("far", True)])], None).supporting == {"far"}  # nobody said what the context was


def test_a_word_on_the_whole_context_counts_without_naming_a_chunk() -> None:
    assert decide([("j", [Word(None, True)])], CONTEXT) == Decision(True, judge="j")
    assert decide([("j", [Word(None, False), Word("A", None)])], CONTEXT).supported is False


def test_a_judge_that_failed_on_a_chunk_cannot_say_unsupported() -> None:
    failed = [Word("A", False), Word("B", None)]
    assert decide([("j", failed)], CONTEXT).supported is None
    assert decide([("j", failed), ("k", [Word("A", False), Word("B", False)])], CONTEXT).judge == "k"
    assert decide([("j", [Word("A", True), Word("B", None)])], CONTEXT).supported is True


def test_a_contradiction_is_unsupported_and_said_so() -> None:
    decision = decide([("j", [Word("A", False, contradicts=True), Word("B", False)])], CONTEXT)
    assert (decision.supported, decision.contradicted) == (False, True)


def test_a_citation_asks_the_judges_about_its_own_chunk() -> None:
    judges = [("j", [Word("A", None), Word(None, True)]), ("k", [Word("A", True), Word("B", False)])]
    assert (on_pair(judges, "A"), on_pair(judges, "B"), on_pair(judges, "C")) == (True, False, None)


@given(st.lists(WORDS, max_size=3))
def test_a_claim_is_supported_only_by_chunks_of_the_context_and_never_without_a_word(said: list[list[Word]]) -> None:
    decision = decide([(f"j{n}", words) for n, words in enumerate(said)], CONTEXT)
    assert decision.supporting <= CONTEXT
    assert (decision.supported is None) == (decision.judge == "")
    if not any(words for words in said):
        assert decision.supported is None


def plainly(judges: list[list[Word]], context: frozenset[str] | None) -> tuple[bool | None, frozenset[str], bool]:
    """Return support, supporting chunks and contradiction word by word, as the rule is told."""
    for words in judges:
        heard = [each for each in words if each.chunk is None or context is None or each.chunk in context]
        supporting = frozenset(each.chunk for each in heard if each.supports and each.chunk is not None)
        if any(each.supports for each in heard):
            return True, supporting, False
        on_the_whole = any(each.chunk is None and each.supports is False for each in heard)
        if on_the_whole or (heard and all(each.supports is False for each in heard)):
            return False, frozenset(), any(each.contradicts for each in heard)
    return None, frozenset(), False


ROWS = st.tuples(
    st.sampled_from([None, "A", "B", "far"]),
    st.sampled_from([None, math.nan, 0.0, 0.49, 0.5, 1.0, 1.5]),
    st.sampled_from(["", "", "supported", "unsupported", "contradicted", "unsure"]),
)


@given(st.lists(st.lists(ROWS, max_size=5), max_size=3), st.sampled_from([None, frozenset(), CONTEXT]))
def test_words_heard_together_decide_as_words_one_by_one(
    said: list[list[tuple[str | None, float | None, str]]], context: frozenset[str] | None
) -> None:
    together, apart = [], []
    for number, rows in enumerate(said):
        heard = Heard()
        for chunk, value, label in rows:
            heard.hear(chunk, value, label, 0.5)
        together.append((f"j{number}", heard))
        apart.append([word(chunk, value, label, 0.5) for chunk, value, label in rows])
    decision = decide_heard(together, context)
    assert (decision.supported, decision.supporting, decision.contradicted) == plainly(apart, context)
    assert decision == decide([(f"j{number}", words) for number, words in enumerate(apart)], context)
