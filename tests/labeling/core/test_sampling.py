"""Seeded draws, the dev/test split and how many more reads are needed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.core.correction import Draw, Stratum, correct
from labeling.core.sampling import (
    OpenStratum,
    allocate,
    draw,
    expected_half_widths,
    fraction_of,
    how_many_more,
    is_blind,
    split_of,
)

FRAME = {f"q{n}": ("a" if n < 60 else "b") for n in range(100)}
CLASSES = ("x", "y", "z")


def test_the_same_seed_draws_the_same_items_whatever_the_order_of_the_frame() -> None:
    again = dict(sorted(FRAME.items(), reverse=True))
    assert draw("s", FRAME, {"a": 9, "b": 4}) == draw("s", again, {"a": 9, "b": 4})
    assert draw("s", FRAME, {"a": 9}) != draw("t", FRAME, {"a": 9})


def test_a_draw_takes_what_was_asked_of_each_stratum_with_its_probability() -> None:
    drawn = draw("s", FRAME, {"a": 15, "b": 400})
    taken = {"a": [one for one in drawn if one.stratum == "a"], "b": [one for one in drawn if one.stratum == "b"]}
    assert {len(taken["a"]), len(taken["b"])} == {15, 40}
    assert {one.inclusion for one in taken["a"]} == {0.25}
    assert {one.inclusion for one in taken["b"]} == {1.0}
    assert all(FRAME[one.item] == one.stratum for one in drawn)


def test_asking_for_more_keeps_what_was_drawn_and_the_order_mixes_the_strata() -> None:
    few, many = draw("s", FRAME, {"a": 5, "b": 5}), draw("s", FRAME, {"a": 30, "b": 20})
    assert {one.item for one in few} < {one.item for one in many}
    half = [one.stratum for one in many[:25]]
    assert 0 < half.count("b") < 25


def test_every_item_is_drawn_about_equally_often() -> None:
    counts = dict.fromkeys(FRAME, 0)
    for seed in range(400):
        for one in draw(str(seed), FRAME, {"a": 15, "b": 10}):
            counts[one.item] += 1
    assert min(counts.values()) > 60
    assert max(counts.values()) < 145


def test_the_split_depends_on_the_query_alone_and_halves_the_set() -> None:
    splits = [split_of(f"q-{n}") for n in range(1000)]
    assert splits == [split_of(f"q-{n}") for n in range(1000)]
    assert 440 < splits.count("dev") < 560
    assert set(splits) == {"dev", "test"}
    assert split_of("\ud800") in ("dev", "test")


def test_blindness_is_by_lot() -> None:
    blind = [is_blind("s", str(n), 0.8) for n in range(1000)]
    assert 750 < sum(blind) < 850
    assert all(is_blind("s", str(n), 1.0) for n in range(50))
    assert not any(is_blind("s", str(n), 0.0) for n in range(50))
    assert 0 <= fraction_of("a") < 1


def test_the_wider_stratum_gets_the_reads() -> None:
    strata = [OpenStratum("even", 100, {"x": 10, "y": 10}), OpenStratum("clear", 100, {"y": 20})]
    take = allocate(strata, 60, "x")
    assert sum(take.values()) == 60
    assert take["even"] > 2 * take["clear"] >= 10
    assert allocate(strata, 3, "x") == {"even": 5, "clear": 5}
    assert allocate([*strata, OpenStratum("tiny", 2, {})], 500, "x") == {"even": 100, "clear": 100, "tiny": 2}


strata_lists = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=4
).map(lambda rows: [OpenStratum(str(n), size, {"x": x, "y": y}) for n, (size, x, y) in enumerate(rows)])


@settings(deadline=None, max_examples=40)
@given(strata_lists, st.floats(0.5, 60))
def test_a_plan_reaches_its_target_and_stays_within_the_strata(strata: list[OpenStratum], target: float) -> None:
    plan = how_many_more(strata, target, CLASSES)
    assert plan.half_width <= target
    for stratum in strata:
        assert min(5, stratum.size) <= plan.take[stratum.key] <= stratum.size
    assert plan.half_width == pytest.approx(expected_half_widths(strata, plan.take, CLASSES)[plan.widest])


def test_a_tighter_target_takes_more_reads() -> None:
    strata = [OpenStratum("a", 200, {"x": 5, "y": 5}), OpenStratum("b", 150, {"y": 9, "z": 1})]
    totals = [how_many_more(strata, width, CLASSES).total for width in (40, 20, 10, 2)]
    assert totals == sorted(totals)
    assert totals[0] < totals[-1]


def test_what_the_plan_expects_is_what_the_estimate_then_gives() -> None:
    strata = [OpenStratum("a", 300, {"x": 10, "y": 10})]
    plan = how_many_more(strata, 25, ("x", "y"))
    read = plan.take["a"]
    seen = {"x": round(read / 2), "y": read - round(read / 2)}
    found = correct(Draw("d", (Stratum("a", 300, seen),), {}), seen, ("x", "y")).estimates["x"]
    assert (found.high - found.low) / 2 <= 25 + 1
