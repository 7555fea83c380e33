from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.metrics import Missing
from triage.core.pictures import axis, count_axis, heat, interval, largest, share_axis

UNIT = st.floats(0, 1)


def _percent(place: str) -> float:
    return float(place.removesuffix("%"))


def test_a_bar_stands_where_the_mock_draws_it() -> None:
    bar = interval(axis(0, 70, (0, 20, 40, 60), places=0), 13.0, 13.0, 18.27, automatic=16)
    assert (bar.dot_at, bar.band_at, bar.band_width, bar.ring_at) == ("18.57%", "18.57%", "7.53%", "22.86%")
    assert bar.target_at == ""
    assert bar.grid == ("28.57%", "57.14%", "85.71%")


@pytest.mark.parametrize("nothing", [None, Missing.NO_GOLD, math.nan, math.inf, "0.5", True])
def test_a_value_that_does_not_exist_has_no_place(nothing: object) -> None:
    bar = interval(share_axis(), nothing, nothing, 0.9, automatic=nothing, target=nothing)
    assert (bar.dot_at, bar.band_at, bar.band_width, bar.ring_at, bar.target_at) == ("", "", "", "", "")


def test_what_lies_outside_the_axis_stands_at_its_end() -> None:
    bar = interval(axis(0.2, 1.0, (0.2, 1.0)), 0.1, 0.0, 2.0)
    assert (bar.dot_at, bar.band_at, bar.band_width) == ("0.00%", "0.00%", "100.00%")


@given(UNIT, UNIT, UNIT)
def test_a_band_lies_inside_the_drawing_and_holds_its_value(one: float, two: float, three: float) -> None:
    low, value, high = sorted((one, two, three))
    bar = interval(share_axis(), value, low, high)
    start, end = _percent(bar.band_at), _percent(bar.band_at) + _percent(bar.band_width)
    assert 0 <= start <= end <= 100.01
    assert start - 0.011 <= _percent(bar.dot_at) <= end + 0.021


def test_the_axis_of_ratios_is_labelled_in_quarters_with_words_inside_the_drawing() -> None:
    ticks = share_axis().ticks
    assert [tick.label for tick in ticks] == ["0", "0.25", "0.5", "0.75", "1"]
    assert [tick.anchor for tick in ticks] == ["start", "middle", "middle", "middle", "end"]


def test_a_place_below_zero_is_labelled_with_a_real_minus() -> None:
    assert [tick.label for tick in axis(-1.0, 1.0, (-1.0, 0.0, 1.0)).ticks] == ["\N{MINUS SIGN}1.0", "0.0", "1.0"]


@given(st.floats(0, 1e7))
def test_an_axis_of_counts_holds_the_largest_count_in_few_round_steps(most: float) -> None:
    on = count_axis(most)
    assert on.low == 0
    assert on.high >= most
    assert 2 <= len(on.ticks) <= 6
    assert [float(tick.label) for tick in on.ticks] == pytest.approx(
        [k * on.high / (len(on.ticks) - 1) for k in range(len(on.ticks))]
    )


@pytest.mark.parametrize(("most", "labels"), [(0, "0 1"), (3, "0 1 2 3"), (76, "0 20 40 60 80"), (28.8, "0 10 20 30")])
def test_counts_are_labelled_with_whole_numbers(most: float, labels: str) -> None:
    assert " ".join(tick.label for tick in count_axis(most).ticks) == labels


def test_an_axis_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="low < high"):
        axis(1.0, 1.0, (1.0,))


def test_the_tint_of_a_cell_is_its_share_of_the_largest() -> None:
    assert [heat(value, 100) for value in (0, 1, 20, 21, 100)] == [0, 1, 1, 2, 5]
    assert heat(None, 100) == 0
    assert heat(3, 0) == 0


def test_the_largest_of_no_numbers_is_zero() -> None:
    assert largest([None, Missing.NO_GOLD, 3, 2.5, math.nan]) == 3.0
    assert largest([]) == 0.0
