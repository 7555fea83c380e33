"""Intervals: the Wilson values of the oracles, the normal-theory mean, and what both refuse."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.intervals import CONFIDENCE, mean_interval, wilson, z_of


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (16, 152, 0.066, 0.164),
        (61, 152, 0.327, 0.481),
        (44, 152, 0.223, 0.366),
        (31, 152, 0.148, 0.275),
        (3, 20, 0.052, 0.360),
        (33, 44, 0.606, 0.854),
        (152, 400, 0.334, 0.428),
    ],
)
def test_W1_W2_wilson_of_the_classes_and_shares(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-4)


def test_W3_wilson_of_170_of_200() -> None:
    assert wilson(170, 200) == pytest.approx((0.794, 0.893), abs=5e-4)


def test_W4_four_gates_at_five_per_cent_fail_by_chance_with_0_1855() -> None:
    some_gate_fails = 1 - (1 - (1 - CONFIDENCE)) ** 4
    assert some_gate_fails == pytest.approx(0.1855, abs=5e-5)


@pytest.mark.parametrize(("positives", "low", "high"), [(50, 0.812, 0.968), (100, 0.850, 0.959), (200, 0.874, 0.950)])
def test_L1_a_true_positive_rate_of_0_92_narrows_with_more_positives(positives: int, low: float, high: float) -> None:
    assert wilson(round(0.92 * positives), positives) == pytest.approx((low, high), abs=5e-4)


@given(n=st.integers(min_value=1, max_value=5000), data=st.data())
def test_wilson_holds_the_share_and_stays_in_the_unit_range(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(min_value=0, max_value=n))
    low, high = wilson(k, n)
    assert 0.0 <= low <= k / n <= high <= 1.0
    assert low < high


def test_wilson_ends_are_exact_at_none_and_all() -> None:
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 1.0


def test_wilson_agrees_with_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason="a cross-check that needs statsmodels")
    for k, n in [(0, 10), (1, 10), (9, 10), (10, 10), (213, 377)]:
        assert wilson(k, n) == pytest.approx(proportion.proportion_confint(k, n, method="wilson"), abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_share(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="a share needs"):
        wilson(k, n)


def test_z_is_the_normal_quantile_and_refuses_a_confidence_of_one() -> None:
    assert z_of() == pytest.approx(1.959964, abs=1e-6)
    with pytest.raises(ValueError, match="confidence"):
        z_of(1.0)


def test_the_mean_interval_is_symmetric_and_has_the_normal_width() -> None:
    interval = mean_interval([0.0, 1.0, 0.0, 1.0])
    assert interval is not None
    low, high = interval
    half = 1.959964 * math.sqrt(1 / 3 / 4)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


def test_one_value_has_no_interval() -> None:
    assert mean_interval([0.4]) is None
    assert mean_interval([]) is None
