"""The slice that explains most of a difference."""

from __future__ import annotations

from labeling.core.explaining import explains_most

STILL = (50, 0, 0, 50)


def test_the_slice_that_lost_more_than_its_part_is_named() -> None:
    slices = {
        "topic": [("billing", (20, 15, 0, 5)), ("login", (50, 5, 0, 5))],
        "length": [("long", (35, 10, 0, 5)), ("short", (35, 10, 0, 5))],
    }
    found = explains_most(slices)
    assert found is not None
    assert (found.key, found.value, found.n, found.net, found.net_in_all) == ("topic", "billing", 40, -15, -20)
    assert found.share_of_pairs == 0.4
    assert found.share_of_change == 0.75


def test_nothing_is_named_without_a_change_or_beyond_one_slice() -> None:
    assert explains_most({"topic": [("a", STILL), ("b", STILL)]}) is None
    assert explains_most({"topic": [("all", (10, 10, 0, 10))]}) is None
    assert explains_most({}) is None


def test_a_small_slice_is_never_named() -> None:
    found = explains_most({"topic": [("tiny", (0, 19, 0, 0)), ("big", (60, 10, 5, 25))]})
    assert found is None


def test_a_slice_may_hold_more_than_the_whole_change() -> None:
    found = explains_most({"topic": [("worse", (10, 20, 0, 10)), ("better", (10, 0, 10, 20))]})
    assert found is not None
    assert (found.value, found.share_of_change) == ("worse", 2.0)
