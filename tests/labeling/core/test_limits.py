"""Exact limits of a finite population and how limits combine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from labeling.core.limits import Part, finite_limits, mover_mean, mover_sum


@pytest.mark.parametrize(("seen", "limits"), [(3, (3, 9)), (6, (6, 14)), (11, (13, 21))])
def test_C1_twenty_read_of_thirty_one_give_the_exact_ranges(seen: int, limits: tuple[int, int]) -> None:
    assert finite_limits(seen, 20, 31) == limits


def test_C2_the_point_and_its_standard_error() -> None:
    share, size, read = 3 / 20, 31, 20
    assert size * share == pytest.approx(4.65)
    error = size * (share * (1 - share) / (read - 1) * (1 - read / size)) ** 0.5
    assert error == pytest.approx(1.5127, abs=1e-4)


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, int, int]:
    size = draw(st.integers(1, 400))
    read = draw(st.integers(1, size))
    return draw(st.integers(0, read)), read, size


@given(samples())
def test_the_limits_are_those_a_hypergeometric_test_does_not_reject(sample: tuple[int, int, int]) -> None:
    seen, read, size = sample
    low, high = finite_limits(seen, read, size)
    assert seen <= low <= size * seen / read <= high <= size - read + seen
    if read == size:
        assert low == high == seen
        return
    # At an exact tie (2 of 80) either side of the comparison is right; rounding decides.
    assert hypergeom.sf(seen - 1, size, low, read) > 0.025 - 1e-12
    assert low == seen or hypergeom.sf(seen - 1, size, low - 1, read) <= 0.025 + 1e-12
    assert hypergeom.cdf(seen, size, high, read) > 0.025 - 1e-12
    assert high == size - read + seen or hypergeom.cdf(seen, size, high + 1, read) <= 0.025 + 1e-12


def test_nothing_read_says_nothing_and_impossible_counts_are_refused() -> None:
    assert finite_limits(0, 0, 7) == (0, 7)
    with pytest.raises(ValueError, match="0 <= seen <= read <= size"):
        finite_limits(3, 2, 7)


@given(st.integers(1, 12))
def test_the_interval_narrows_as_more_is_read(step: int) -> None:
    low, high = finite_limits(step * 2, step * 10, 200)
    more_low, more_high = finite_limits(step * 4, step * 20, 400)
    assert (more_high - more_low) / 400 <= (high - low) / 200


def test_one_part_keeps_its_limits_and_two_add_their_squares() -> None:
    part = Part(5, 2, 9)
    assert mover_sum([part]) == part
    assert mover_sum([part, Part(7, 7, 7)]) == Part(12, 9, 16)
    assert mover_sum([Part(0, -3, 3), Part(0, -4, 4)]) == Part(0, -5, 5)
    assert mover_mean(Part(1, 1, 1), Part(0, 0, 0.5)) == Part(0.5, 0.5, 0.75)
