"""What a reranker costs and saves, against the essays' figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.core.economics import Latency, Money, Path, fallback_words, fit


def money(saved: float = 1855, *, hosted: float | None = None, node: float | None = None) -> Money:
    return Money(saved, 400, 3.0, "USD", hosted, node)


def test_S8_1855_tokens_at_3_a_million_save_5_565_per_thousand() -> None:
    assert money(2510 - 655).saved_per_query == pytest.approx(0.005565)
    assert money(2510 - 655).saved_per_1000 == pytest.approx(5.565)


def test_S9_S23_about_two_milliseconds_a_candidate() -> None:
    found = fit([(20, 42), (50, 95), (100, 198)])
    assert [point.ms_each for point in found.points] == pytest.approx([2.1, 1.9, 1.98])
    assert found.ms_each == pytest.approx(1.96, abs=0.005)
    residuals = [point.residual_ms for point in found.points]
    assert sum(residual or 0.0 for residual in residuals) == pytest.approx(0, abs=1e-9)
    # Dearer at both ends than the line through all three says, as the essay reads it.
    assert [round(residual or 0.0, 1) for residual in residuals] == [2.2, -3.6, 1.3]
    assert found.at(50) == pytest.approx(95 + 3.6, abs=0.05)


def test_S10_60_of_200_milliseconds_are_unattributed() -> None:
    found = Latency("p95", 1900, 2100, 140)
    assert (found.added_ms, found.unattributed_ms) == (200, 60)
    assert Latency("p95", 1900, 2100, None).unattributed_ms is None


def test_S22_a_hosted_reranker_leaves_3_565_to_4_565() -> None:
    assert [money(hosted=price).net_hosted_per_1000 for price in (2, 1)] == pytest.approx([3.565, 4.565])


def test_the_break_even_rate_is_where_the_saving_pays_the_node() -> None:
    found = money(node=556.5)
    assert found.break_even_per_month == pytest.approx(100_000)
    assert found.break_even_per_s == pytest.approx(100_000 / 2_592_000)
    assert money(-5, node=600).break_even_per_month is None
    assert Money(1855, 1, None, "", 1, 600).net_hosted_per_1000 is None


def test_one_number_of_candidates_gives_no_line_and_two_give_one_that_proves_nothing() -> None:
    one, two = fit([(50, 95)]), fit([(20, 42), (50, 95)])
    assert (one.ms_each, one.at(50), one.at(20)) == (None, 95, None)
    assert two.is_exact_by_construction
    assert not fit([(20, 42), (50, 95), (100, 198)]).is_exact_by_construction
    assert fit([]).points == ()
    with pytest.raises(ValueError, match="above 0"):
        fit([(0, 1)])


@given(st.floats(-50, 50), st.floats(-5, 5), st.lists(st.integers(1, 200), min_size=3, max_size=9, unique=True))
def test_a_straight_line_is_found_again(fixed: float, slope: float, candidates: list[int]) -> None:
    found = fit([(x, fixed + slope * x) for x in candidates])
    assert found.ms_each == pytest.approx(slope, abs=1e-6)
    assert found.fixed_ms == pytest.approx(fixed, abs=1e-4)


def test_a_silent_fallback_is_said() -> None:
    paths = [Path("ok", 390, 0.6, 0.3, 100, 400), Path("timeout", 10, 0.3, 0.1, 900, 400)]
    assert fallback_words(paths) == "10 of 400 queries (2.5%) fell back to the order without the reranker."
    assert fallback_words(paths[:1]) == ""
    assert fallback_words([]) == ""
    assert "would not show" in fallback_words([Path("not said", 4, None, None, None, None)])
