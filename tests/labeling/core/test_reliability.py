"""Oracles E1-E4: whether scores mean what they say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from labeling.core.reliability import (
    bin_of,
    brier_score,
    expected_calibration_error,
    isotonic,
    isotonic_curve,
    platt,
    platt_targets,
    reliability_bins,
)

SCORES, CORRECT = [0.9, 0.8, 0.7, 0.6, 0.55], [True, True, False, True, False]


@pytest.mark.parametrize(("bins", "expected"), [(5, 0.15), (10, 0.23)])
def test_E1_expected_calibration_error(bins: int, expected: float) -> None:
    assert expected_calibration_error(reliability_bins(SCORES, CORRECT, bins)) == pytest.approx(expected)


@pytest.mark.parametrize(("values", "expected"), [([0, 1, 0, 1, 1], [0, 0.5, 0.5, 1, 1]), ([1, 0, 1], [0.5, 0.5, 1])])
def test_E2_pool_adjacent_violators(values: list[float], expected: list[float]) -> None:
    assert isotonic(values) == pytest.approx(expected)


def test_E3_brier_score() -> None:
    assert brier_score([0.5, 0, 1, 0, 0.5], [True, False, True, False, True]) == pytest.approx(0.1)


def test_E4_platt_targets() -> None:
    assert platt_targets(3, 5) == pytest.approx((0.8, 0.142857), abs=1e-6)


def test_a_score_of_zero_lands_in_a_bin_and_an_edge_belongs_to_the_lower_bin() -> None:
    assert [bin_of(score) for score in (0.0, 0.1, 0.1000001, 0.6, 0.7, 1.0)] == [0, 0, 1, 5, 6, 9]
    bins = reliability_bins([0.0, 0.05, 1.0], [False, True, True])
    assert (bins[0].n, bins[0].title, bins[9].title) == (2, "[0.0, 0.1]", "(0.9, 1.0]")
    assert (bins[4].n, bins[4].share) == (0, None)


def test_without_items_there_is_no_error_to_report() -> None:
    assert expected_calibration_error(reliability_bins([], [])) is None
    assert brier_score([], []) is None
    assert platt([0.3, 0.4], [True, True]) is None


scored = st.lists(st.tuples(st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]), st.booleans()), min_size=1, max_size=40)


@given(scored)
def test_isotonic_curve_equals_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    scores, positives = (list(column) for column in zip(*rows, strict=True))
    curve = isotonic_curve(scores, positives)
    theirs = IsotonicRegression().fit(scores, [float(positive) for positive in positives])
    for score, share in curve:
        assert share == pytest.approx(float(theirs.predict([score])[0]), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(scored.filter(lambda rows: 0 < sum(positive for _, positive in rows) < len(rows)))
def test_platt_equals_a_logistic_fit_to_the_same_targets(rows: list[tuple[float, bool]]) -> None:
    scores, positives = (list(column) for column in zip(*rows, strict=True))
    curve = platt(scores, positives)
    assert curve is not None
    high, low = platt_targets(sum(positives), len(positives) - sum(positives))
    targets = [high if positive else low for positive in positives]
    model = LogisticRegression(C=1e10, tol=1e-10, max_iter=10_000)
    model.fit(
        [[score] for score in scores * 2],
        [1] * len(scores) + [0] * len(scores),
        sample_weight=[*targets, *[1 - target for target in targets]],
    )
    for score in (0.0, 0.5, 1.0):
        assert curve.chance(score) == pytest.approx(float(model.predict_proba([[score]])[0, 1]), abs=2e-3)
    assert 0 < curve.chance(-1e6) + curve.chance(1e6) <= 2
