"""Two slice keys crossed: few, mix, equal weight."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.crossing import Cell, at_mix, equal_weight, total

CELLS = st.builds(lambda n, k: Cell(n, n, min(n, k)), st.integers(1, 50), st.integers(0, 50))


def test_a_cell_under_twenty_decided_is_few_and_an_empty_one_has_no_share() -> None:
    assert Cell(30, 19, 10).is_few
    assert not Cell(20, 20, 10).is_few
    assert Cell(3, 0, 0).share is None


def test_the_essays_pooled_accuracy_is_a_statement_about_the_mix() -> None:
    """0.71 on single-passage queries and 0.44 on the others pool to 0.62 where two thirds are single-passage."""
    one, several = Cell(267, 267, 190), Cell(133, 133, 58)
    assert total([one, several]).share == pytest.approx(0.62, abs=0.001)
    assert equal_weight([one, several]) == pytest.approx((190 / 267 + 58 / 133) / 2)


def test_few_cells_have_no_say_in_the_equal_weight_mean() -> None:
    assert equal_weight([Cell(5, 5, 5), Cell(20, 20, 10)]) == 0.5
    assert equal_weight([Cell(5, 5, 5)]) is None


def test_a_row_that_lacks_a_value_of_the_mix_has_no_standardised_share() -> None:
    mix = {"a": Cell(10, 10, 5), "b": Cell(10, 10, 5)}
    assert at_mix({"a": Cell(4, 4, 2)}, mix) is None
    assert at_mix({"a": Cell(4, 4, 4), "b": Cell(2, 2, 0)}, mix) == 0.5
    assert at_mix({}, {}) is None


@given(st.dictionaries(st.sampled_from("abc"), CELLS, min_size=1))
def test_the_whole_run_at_its_own_mix_is_its_pooled_share(cells: dict[str, Cell]) -> None:
    assert at_mix(cells, cells) == pytest.approx(total(list(cells.values())).share)
