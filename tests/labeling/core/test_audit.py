"""The checks of the gold audit, and the essay's numbers they reproduce."""

from __future__ import annotations

from datetime import date

import pytest

from labeling.core.audit import (
    Answerability,
    Health,
    absent_gold,
    calibration_age,
    gold_outside,
    questions_from,
    same_k,
    set_age,
    unanswerable,
)


@pytest.mark.parametrize("outside", [0, 1, 5, 21, 60])
def test_too_few_or_too_many_gold_ids_outside_the_candidates_warn(outside: int) -> None:
    assert gold_outside(outside, 100).state is Health.WARN


@pytest.mark.parametrize("outside", [10, 15, 20])
def test_ten_to_twenty_per_cent_outside_are_healthy(outside: int) -> None:
    assert gold_outside(outside, 100).state is Health.OK


def test_the_essays_thirteen_per_cent_lie_inside_the_band() -> None:
    found = gold_outside(13, 100)
    assert (found.state, found.value, found.n) == (Health.OK, 0.13, 100)
    assert "13.0%" in found.detail
    assert gold_outside(0, 0).state is Health.UNKNOWN


def test_no_gold_outside_looks_harvested() -> None:
    assert "harvested" in gold_outside(0, 300).detail


def test_questions_generated_from_the_chunks_flatter() -> None:
    assert questions_from("generated_from_chunks").state is Health.WARN
    assert questions_from("logs").state is Health.OK
    assert questions_from("").state is Health.UNKNOWN


def test_the_evaluation_k_is_the_serving_k() -> None:
    assert same_k(8, 8).state is Health.OK
    assert same_k(20, 5).state is Health.WARN
    assert {same_k(None, 5).state, same_k(5, None).state} == {Health.UNKNOWN}


def test_S17_the_drop_from_94_to_92_with_12_per_cent_unanswerable_is_773_on_them() -> None:
    found = unanswerable(Answerability(8272, 8800, 928, 1200))
    assert found.state is Health.OK
    assert found.value == pytest.approx(0.12)
    assert "Accuracy 0.920, without them 0.940, on them alone 0.773." in found.detail


def test_a_set_without_unanswerable_questions_flatters() -> None:
    assert unanswerable(Answerability(5, 10, 0, 0)).state is Health.WARN
    assert unanswerable(Answerability(50, 99, 1, 1)).state is Health.WARN
    assert unanswerable(Answerability(0, 0, 0, 0)).state is Health.UNKNOWN
    assert "no value" in unanswerable(Answerability(0, 0, 1, 2)).detail


def test_gold_that_names_nothing_is_listed() -> None:
    found = absent_gold(["a", "b"], 9)
    assert (found.state, found.ids, found.value) == (Health.WARN, ("a", "b"), 2.0)
    assert absent_gold([], 9).state is Health.OK
    assert absent_gold([], 0).state is Health.UNKNOWN


def test_a_set_older_than_a_quarter_is_to_be_resampled() -> None:
    today = date(2026, 11, 30)
    assert set_age(date(2026, 9, 1), today).state is Health.OK
    assert set_age(date(2026, 8, 1), today).state is Health.WARN
    assert set_age(None, today).state is Health.UNKNOWN


def test_a_judge_never_compared_warns() -> None:
    today = date(2026, 11, 30)
    assert calibration_age("j", "uncalibrated", None, today).state is Health.WARN
    assert calibration_age("j", "calibrated", date(2026, 11, 1), today).state is Health.OK
    assert calibration_age("j", "stale", date(2026, 1, 1), today).state is Health.WARN
