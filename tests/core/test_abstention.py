"""Refusals, by the policy's phrases."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.abstention_examples import ANSWERS, REFUSALS
from triage.core.abstention import Abstention, abstention, declines, is_abstention
from triage.core.policy import ABSTENTION_PATTERNS_BY_LANGUAGE, DEFAULT_POLICY, Policy


@pytest.mark.parametrize(("language", "answer"), REFUSALS)
def test_a_refusal_is_an_abstention_in_every_language_of_the_policy(language: str, answer: str) -> None:
    assert abstention(answer, DEFAULT_POLICY) is Abstention.REFUSAL, language


def test_every_language_of_the_policy_has_an_example() -> None:
    assert {language for language, _ in REFUSALS} == set(ABSTENTION_PATTERNS_BY_LANGUAGE)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_merely_sounds_like_a_refusal_is_none(answer: str) -> None:
    assert not is_abstention(answer, DEFAULT_POLICY)


@pytest.mark.parametrize("answer", [None, "", "   ", "\n\t\u00a0"])
def test_F42_a_null_or_blank_answer_is_an_abstention_of_kind_no_answer(answer: str | None) -> None:
    assert abstention(answer, DEFAULT_POLICY) is Abstention.NO_ANSWER


def test_P01_a_refusal_without_claims_is_an_abstention() -> None:
    assert is_abstention("I cannot find that.", DEFAULT_POLICY)


def test_P24_not_enough_information_is_an_abstention() -> None:
    assert is_abstention("Not enough information.", DEFAULT_POLICY)


def test_a_long_answer_is_never_an_abstention_by_pattern_alone() -> None:
    policy = Policy(abstention_max_chars=30)
    assert is_abstention("I don't know about that.", policy)
    assert not is_abstention("I don't know about that." + " Here it is." * 3, policy)


def test_the_limit_counts_code_points_without_the_blanks_around() -> None:
    policy = Policy(abstention_max_chars=12)
    assert is_abstention("  I don't know  ", policy)


def test_curly_apostrophes_case_and_line_breaks_change_nothing() -> None:
    assert is_abstention("I DON’T\nKNOW", DEFAULT_POLICY)


def test_an_empty_list_of_patterns_finds_no_refusal() -> None:
    policy = Policy(abstention_patterns=("", "  "))
    assert not is_abstention("I don't know", policy)


def test_SEC17_matching_hostile_text_stays_linear() -> None:
    started = time.process_time()
    for text in ("i" * 500_000, "i don't " * 100_000, " " * 1_000_000, "no " * 300_000):
        declines(text, DEFAULT_POLICY)
    assert time.process_time() - started < 5


def test_the_refusals_of_a_real_run_are_the_ones_its_file_says(shared: Path) -> None:
    import gzip

    with gzip.open(shared / "data" / "runs" / "clapnq_arm_k20.jsonl.gz", "rt", encoding="utf-8") as lines:
        queries = [row for row in map(json.loads, lines) if row["kind"] == "query"]
    wrong = [row["id"] for row in queries if is_abstention(row["answer"], DEFAULT_POLICY) != row["abstained"]]
    assert len(queries) == 345
    assert wrong == []


WORDS = st.lists(
    st.sampled_from(["information", "inform", "no", "not", "i", "données", "答え", "x"]), min_size=1, max_size=3
)


@given(st.lists(WORDS.map(" ".join), max_size=6), WORDS.map(" ".join))
def test_patterns_looked_for_together_are_found_as_each_alone(patterns: list[str], text: str) -> None:
    """A text that lacks a word of a pattern is not asked for the pattern: nothing else may change by that."""
    alone = [declines(text, Policy(abstention_patterns=(pattern,))) for pattern in patterns]
    assert declines(text, Policy(abstention_patterns=tuple(patterns))) is any(alone)
    naive = any(f" {pattern} " in f" {text} " for pattern in patterns)
    assert any(alone) or not naive
