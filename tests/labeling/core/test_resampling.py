"""Allocation over slices, carrying over, drawing: whole numbers, nothing lost, the same by seed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from labeling.core.resampling import Carry, How, Old, Slice, allocate, carried, drawn

SIZES = st.lists(st.integers(1, 300), min_size=1, max_size=4)


def test_proportional_follows_the_logs_and_rounds_by_largest_remainders() -> None:
    slices = [Slice("a", 600), Slice("b", 300), Slice("c", 100)]
    assert allocate(slices, 100, 0, How.PROPORTIONAL) == {"a": 60, "b": 30, "c": 10}
    assert allocate(slices, 7, 0, How.PROPORTIONAL) == {"a": 4, "b": 2, "c": 1}


def test_a_small_slice_gets_its_minimum_or_all_it_has() -> None:
    take = allocate([Slice("big", 990), Slice("small", 40), Slice("tiny", 3)], 100, 20, How.PROPORTIONAL)
    assert take["small"] >= 20
    assert take["tiny"] == 3
    assert sum(take.values()) == 100


def test_neyman_puts_more_where_answers_fail_about_as_often_as_not() -> None:
    slices = [Slice("even", 500, 50, 100), Slice("good", 500, 1, 100)]
    take = allocate(slices, 100, 0, How.NEYMAN)
    assert take["even"] > 3 * take["good"]


@given(SIZES, st.integers(1, 1500), st.integers(0, 30), st.sampled_from(list(How)))
def test_no_slice_gets_more_than_it_has_and_the_total_is_met(
    sizes: list[int], total: int, minimum: int, how: How
) -> None:
    slices = [Slice(f"s{place}", size, place, 10) for place, size in enumerate(sizes)]
    take = allocate(slices, total, minimum, how)
    floor = sum(min(one.size, minimum) for one in slices)
    assert sum(take.values()) == max(floor, min(total, sum(one.size for one in slices)))
    assert all(min(one.size, minimum) <= take[one.name] <= one.size for one in slices)


def test_the_freshest_is_carried_first_within_its_slice_and_the_share() -> None:
    old = [Old("old", "a", 300), Old("new", "a", 5), Old("unknown", "a", None), Old("b", "b", 1), Old("gone", "z", 1)]
    fates = carried(old, {"a": 2, "b": 1}, 3, "seed")
    assert fates == {
        "new": Carry.CARRIED, "old": Carry.CARRIED, "b": Carry.CARRIED,
        "unknown": Carry.NO_ROOM, "gone": Carry.NO_SLICE,
    }  # fmt: skip
    assert carried([Old("x", "a", 1, Carry.GONE)], {"a": 1}, 1, "s") == {"x": Carry.GONE}
    assert list(carried(old, {"a": 2, "b": 1}, 1, "seed").values()).count(Carry.CARRIED) == 1


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.sampled_from("ab")), st.integers(0, 9), st.text())
def test_a_draw_is_the_same_by_seed_and_takes_what_was_planned(frame: dict[str, str], each: int, seed: str) -> None:
    found = drawn(frame, {"a": each, "b": each}, seed)
    assert found == drawn(dict(reversed(frame.items())), {"a": each, "b": each}, seed)
    for name in "ab":
        held = sum(value == name for value in frame.values())
        assert sum(frame[key] == name for key in found) == min(each, held)
