"""Closure checks: what closes passes with its numbers, what does not is named."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.closure import (
    Outcomes,
    Review,
    adds_up,
    partition,
    recall_ceiling,
    tokens_agree,
    unchanged,
    under_ceiling,
)
from triage.core.summary import Summary

CLASSES = {"retrieval_miss": 16, "unsupported_claims": 61, "grounded_wrong_question": 44, "still_wrong": 31}
RUN = Outcomes(failing=152, correct=248, undecided=0)
HALF = Fraction(1, 2)
OUTCOMES = st.builds(Outcomes, *[st.integers(min_value=0, max_value=60)] * 3)


def stated(recalls: dict[Fraction, int]) -> Summary:
    n = sum(recalls.values())
    return Summary(float(sum(recall * count for recall, count in recalls.items()) / n), n, {})


def test_S1_S3_the_classes_add_up_to_the_failing_and_the_outcomes_to_the_run() -> None:
    check = adds_up(CLASSES, RUN, 400)
    assert check.ok
    assert check.detail == (
        "16 + 61 + 44 + 31 + 0 unscored = 152 failing; 152 + 248 correct + 0 undecided = 400. "
        "Accuracy by the file 0.620; nothing is reviewed yet."
    )


def test_accuracy_after_review_counts_not_a_failure_right_and_missed_failures_wrong() -> None:
    detail = adds_up(CLASSES, RUN, 400, Review(not_a_failure=6, missed_failures=2)).detail
    assert "Accuracy by the file 0.620; after review 0.630 (6 not_a_failure counted right, 2 missed" in detail


@pytest.mark.parametrize(
    ("classes", "queries", "fault"),
    [
        ({**CLASSES, "still_wrong": 30}, 400, "= 151, but 152 queries are failing"),
        (CLASSES, 401, "= 400, but the run has 401 queries"),
        ({**CLASSES, "unscored": 1}, 400, "1 unscored = 153, but 152"),
        ({**CLASSES, "unheard_of": 1}, 400, "but 152 queries are failing"),
    ],
)
def test_a_sum_that_does_not_close_is_a_named_fault(classes: dict[str, int], queries: int, fault: str) -> None:
    check = adds_up(classes, RUN, queries)
    assert not check.ok
    assert fault in check.detail


def test_a_run_without_a_decided_query_closes_without_an_accuracy() -> None:
    check = adds_up({}, Outcomes(0, 0, 3), 3)
    assert check.ok
    assert "No query is decided" in check.detail


def test_the_recall_ceiling_of_400_queries_at_0_94_is_47_and_24_for_recalls_of_0_or_1() -> None:
    mixed = {Fraction(1): 364, HALF: 24, Fraction(0): 12}
    assert sum((1 - recall) * count for recall, count in mixed.items()) == 24
    ceiling = recall_ceiling(mixed, HALF)
    assert (ceiling.n, ceiling.lost, ceiling.most, ceiling.is_exact) == (400, 24, 47, False)
    exact = recall_ceiling({Fraction(1): 376, Fraction(0): 24}, HALF)
    assert (exact.most, exact.is_exact) == (24, True)
    check = under_ceiling(mixed, stated(mixed), 0.5, 12)
    assert check.ok
    assert "at most 47 possible" in check.detail
    assert "⌈24 / 0.5⌉ − 1" in check.detail


def test_lost_recall_is_written_as_the_exact_fraction() -> None:
    thirds = {Fraction(1): 5, Fraction(1, 3): 4, HALF: 1}
    assert (
        "D = 19/6: the bound for mixed recalls is used, ⌈19/6 / 0.5⌉"
        in under_ceiling(thirds, stated(thirds), 0.5, 0).detail
    )


def test_no_recall_lost_means_none_below() -> None:
    assert recall_ceiling({Fraction(1): 9}, HALF).most == 0


@given(
    recalls=st.dictionaries(
        st.fractions(min_value=0, max_value=1, max_denominator=12), st.integers(1, 40), min_size=1, max_size=8
    ),
    threshold=st.fractions(min_value=0, max_value=1, max_denominator=20),
)
def test_no_set_of_recalls_has_more_queries_below_a_threshold_than_its_ceiling(
    recalls: dict[Fraction, int], threshold: Fraction
) -> None:
    ceiling = recall_ceiling(recalls, threshold)
    below = sum(count for recall, count in recalls.items() if recall < threshold)
    assert below == ceiling.most if ceiling.is_exact else below <= ceiling.most


def test_more_misses_than_queries_below_the_threshold_is_a_fault() -> None:
    recalls = {Fraction(1): 376, Fraction(0): 24}
    assert under_ceiling(recalls, stated(recalls), 0.5, 24).ok
    assert not under_ceiling(recalls, stated(recalls), 0.5, 25).ok


def test_a_run_level_recall_that_is_not_the_mean_of_the_queries_is_a_fault() -> None:
    check = under_ceiling({Fraction(1): 9, Fraction(0): 1}, Summary(0.94, 10, {}), 0.5, 1)
    assert not check.ok
    assert "is 0.940 (n 10), the mean of the queries 0.900 (n 10)" in check.detail


def test_without_any_recall_there_is_no_miss_either() -> None:
    assert under_ceiling({}, Summary(None, 0, {}), 0.5, 0).ok
    assert not under_ceiling({}, Summary(None, 0, {}), 0.5, 1).ok


@given(st.dictionaries(st.text(min_size=1, max_size=3), OUTCOMES, min_size=1, max_size=6))
def test_slices_that_partition_the_run_always_close(slices: dict[str, Outcomes]) -> None:
    whole = Outcomes(
        sum(part.failing for part in slices.values()),
        sum(part.correct for part in slices.values()),
        sum(part.undecided for part in slices.values()),
    )
    check = partition("topic", slices, whole)
    assert check.ok
    assert "nan" not in check.detail


def test_slices_that_lose_a_query_are_a_fault() -> None:
    check = partition("topic", {"a": Outcomes(1, 2, 0), "b": Outcomes(0, 3, 0)}, Outcomes(1, 6, 0))
    assert not check.ok
    assert "2 slices of topic hold 6 queries, the run 7" in check.detail


def test_slices_that_swap_an_outcome_are_a_fault_though_they_sum() -> None:
    assert not partition("topic", {"a": Outcomes(1, 2, 0)}, Outcomes(2, 1, 0)).ok


def test_S8b_tokens_per_chunk_of_the_arms_agree_within_ten_per_cent() -> None:
    check = tokens_agree([("k20", 2510 / 20), ("rerank", 655 / 5)])
    assert check.ok
    assert "125.5 in k20, 131.0 in rerank" in check.detail


def test_tokens_per_chunk_beyond_ten_per_cent_are_a_fault() -> None:
    check = tokens_agree([("rerank5", 91.7), ("k20", 104.6)])
    assert not check.ok
    assert "differ between arms by 14.1%, limit 10%" in check.detail


def test_one_arm_has_nothing_to_agree_with_and_no_tokens_at_all_is_not_infinity() -> None:
    assert tokens_agree([("k20", 100.0)]).ok
    assert tokens_agree([]).ok
    broken = tokens_agree([("a", 0.0), ("b", 10.0)])
    assert not broken.ok
    assert "inf" not in broken.detail


def test_a_second_import_that_changed_nothing_says_so() -> None:
    counts = {"queries": 345, "chunks": 1260}
    assert unchanged(counts, dict(counts), "b7e140d2", 2).detail == (
        "Imported twice, content hash b7e140d2, same counts."
    )
    changed = unchanged(counts, {"queries": 344, "chunks": 1260}, "b7e140d2", 2)
    assert not changed.ok
    assert changed.detail == "queries: 345 imported, 344 now."


def test_no_detail_prints_a_number_that_is_none() -> None:
    details = [tokens_agree([("a", 0.0), ("b", 0.0)]).detail, adds_up({}, Outcomes(0, 0, 0), 0).detail]
    assert not any(word in detail for detail in details for word in ("nan", "None", "-0.0"))
    assert math.isfinite(recall_ceiling({}, HALF).most)
