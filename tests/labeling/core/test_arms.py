"""What changed between arms, and what a change may be credited to."""

from __future__ import annotations

import random

import pytest

from labeling.core.arms import (
    Setting,
    Sums,
    change_of,
    credit_warning,
    decision_of,
    money_places,
    settings_that_differ,
    truncation,
)
from labeling.core.paired import Decision, mean_change


def sums_of(values: list[float]) -> Sums:
    moved = [value for value in values if value]
    few = tuple(moved) if len(moved) <= 16 else None
    return Sums(len(values), sum(values), sum(value * value for value in values), few)


def test_settings_that_differ_keep_the_order_of_the_runs_and_name_what_is_not_said() -> None:
    found = settings_that_differ([{"k": 20, "generator": "a"}, {"k": 5, "generator": "a", "reranker": "x"}])
    assert found == (Setting("k", ("20", "5")), Setting("reranker", ("not said", "x")))
    assert settings_that_differ([{"k": 1}, {"k": 1}]) == ()


def test_two_changed_settings_are_credited_to_neither() -> None:
    two = settings_that_differ([{"candidate_k": 20, "reranker": "off"}, {"candidate_k": 50, "reranker": "on"}])
    words = "Two settings changed (candidate_k, reranker): this difference cannot be credited to either."
    assert credit_warning(two) == words
    assert credit_warning(two[:1]) == ""
    assert credit_warning(()) == ""
    assert "any one of them" in credit_warning([*two, Setting("k", ("1", "2"))])


def test_sums_give_the_change_the_values_give() -> None:
    rng = random.Random(2)
    for size in (2, 9, 80):
        values = [rng.choice([0.0, rng.gauss(0.1, 0.4)]) for _ in range(size)]
        ours, theirs = change_of(sums_of(values)), mean_change(values)
        assert ours is not None
        assert (ours.low, ours.high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))
        assert (ours.difference, ours.p) == (pytest.approx(theirs.difference), pytest.approx(theirs.p))
    assert change_of(Sums(0, 0.0, 0.0)) is None
    one = change_of(Sums(1, 0.4, 0.16, (0.4,)))
    assert one is not None
    assert (one.difference, one.low) == (0.4, None)
    still = change_of(Sums(5, 0.0, 0.0, ()))
    assert still is not None
    assert still.p == 1.0


def test_fewer_tokens_are_better_and_a_lower_recall_is_worse() -> None:
    change = change_of(sums_of([-1.0, -0.8, -1.1, -0.9] * 10))
    assert change is not None
    assert decision_of("context_tokens", change) is Decision.BETTER
    assert decision_of("context_recall", change) is Decision.WORSE


def test_S13_truncation_to_five_of_twenty_doubles_precision() -> None:
    k = (Setting("k", ("20", "5")),)
    found = truncation(k, (20, 5), (0.14, 0.29))
    assert found is not None
    assert found.factor == pytest.approx(2.07, abs=0.005)
    assert found.share_of_relevant == pytest.approx(0.518, abs=0.0005)
    assert found.share_of_slots == 0.25


def test_truncation_needs_k_alone_to_be_cut() -> None:
    k = (Setting("k", ("20", "5")),)
    assert truncation((*k, Setting("reranker", ("a", "b"))), (20, 5), (0.1, 0.2)) is None
    assert truncation(k, (5, 20), (0.1, 0.2)) is None
    assert truncation(k, (20, 5), (None, 0.2)) is None
    assert truncation(k, ("many", 5), (0.1, 0.2)) is None


@pytest.mark.parametrize(
    ("amounts", "places"),
    [((5.6,), 2), ((0.0056, None, -0.001), 4), ((0.0, None), 2), ((1e-12,), 8), ((), 2), ((1234.5, 0.25), 2)],
)
def test_money_is_spelled_with_as_many_digits_as_it_takes(amounts: tuple[float | None, ...], places: int) -> None:
    assert money_places(*amounts) == places
