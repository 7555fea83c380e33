"""Oracles J1-J8: rates corrected for what a judge gets wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.core.figures import Undefined
from labeling.core.rates import (
    Called,
    Known,
    corrected_rate,
    lee_interval,
    prediction_powered_rate,
    rates_of_all,
    rogan_gladen,
    youden_interval,
)

Z = 1.959963984540054


@pytest.mark.parametrize(
    ("passes", "tnr", "tpr", "expected"),
    [
        (0.4, 0.7, 0.9, 0.1666667),
        (0.62, 0.85, 0.93, 0.6025641),
        (0.1, 0.95, 0.6, 0.0909091),
        (0.9, 0.6, 0.99, 0.8474576),
    ],
)
def test_J1_rogan_gladen(passes: float, tnr: float, tpr: float, expected: float) -> None:
    assert rogan_gladen(passes, tnr, tpr) == pytest.approx(expected, abs=1e-7)


def test_J2_rogan_gladen_of_a_good_judge() -> None:
    assert rogan_gladen(0.80, 0.88, 0.92) == pytest.approx(0.85)


def test_J3_rogan_gladen_on_eight_judged_items() -> None:
    assert rogan_gladen(5 / 8, 3 / 4, 3 / 4) == pytest.approx(0.75)


@pytest.mark.parametrize("truth", [0.75, 0.8, 0.7])
@pytest.mark.parametrize(("tnr", "tpr"), [(0.75, 0.75), (0.6, 0.9), (1.0, 1.0)])
def test_J3_the_true_rate_is_recovered_from_what_the_judge_passes(truth: float, tnr: float, tpr: float) -> None:
    passes = truth * tpr + (1 - truth) * (1 - tnr)
    assert rogan_gladen(passes, tnr, tpr) == pytest.approx(truth)


@pytest.mark.parametrize(
    ("rates", "sizes", "expected"),
    [
        ((0.4, 0.7, 0.9), (1000, 200, 200), (0.05635072, 0.26273303)),
        ((0.5, 0.8, 0.8), (500, 100, 100), (0.3799747, 0.6200253)),
        ((0.62, 0.85, 0.93), (2000, 150, 350), (0.5544775, 0.6456328)),
        ((1, 1, 1), (50, 10, 10), (0.9043144, 1)),
    ],
)
def test_J5_lee_interval(
    rates: tuple[float, float, float], sizes: tuple[int, int, int], expected: tuple[float, float]
) -> None:
    assert lee_interval(*rates, sizes) == pytest.approx(expected, abs=1e-7)


def test_J6_more_judged_items_narrow_the_interval_down_to_what_the_labels_allow() -> None:
    found = [lee_interval(0.8, 0.88, 0.92, (n, 50, 50)) for n in (10, 1_000, 100_000)]
    for interval, expected in zip(found, [(0.442, 1), (0.775, 0.969), (0.782, 0.965)], strict=True):
        assert interval == pytest.approx(expected, abs=6e-4)
    widths = [high - low for low, high in found]
    assert widths == sorted(widths, reverse=True)


def test_J7_a_judge_that_tells_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="tells nothing"):
        rogan_gladen(0.5, 0.4, 0.6)
    found = corrected_rate(Known(50, 100), Known(40, 100), Known(60, 100))
    assert found.undefined is Undefined.JUDGE_USELESS
    assert found.value is None


def test_J7b_a_judge_whose_youden_interval_holds_zero_is_refused_too() -> None:
    few = corrected_rate(Known(50, 100), Known(6, 10), Known(6, 10))
    many = corrected_rate(Known(50, 100), Known(600, 1000), Known(600, 1000))
    assert few.undefined is Undefined.JUDGE_USELESS
    assert many.value == pytest.approx(0.5)


def test_missing_labels_of_a_class_are_named() -> None:
    assert corrected_rate(Known(1, 2), Known(0, 0), Known(3, 3)).undefined is Undefined.NO_NEGATIVES
    assert corrected_rate(Known(1, 2), Known(3, 3), Known(0, 0)).undefined is Undefined.NO_POSITIVES
    assert corrected_rate(Known(0, 0), Known(3, 3), Known(3, 3)).undefined is Undefined.NO_ITEMS


PEOPLE, JUDGE = ([float(mark) for mark in marks] for marks in ("1101011011", "1111010011"))
ELSEWHERE = [1.0] * 70 + [0.0] * 30


# The `ppi_py` README prints .259, 90 % (.2322, .2626), of its galaxies beside J8. That row cannot be rebuilt from
# printed numbers: it rests on the label and the prediction of every image, of which the README gives none. J8 stands
# for the method.
def test_J8_prediction_powered_rate() -> None:
    plain = prediction_powered_rate(PEOPLE, JUDGE, ELSEWHERE, tuned=False)
    assert plain.value == pytest.approx(0.70)
    assert (plain.low, plain.high) == pytest.approx((0.4086304, 0.9913696), abs=1e-7)


def test_J8_tuned_prediction_powered_rate() -> None:
    tuned = prediction_powered_rate(PEOPLE, JUDGE, ELSEWHERE)
    assert tuned.value == pytest.approx(0.70)
    assert (tuned.low, tuned.high) == pytest.approx((0.4539302, 0.9460698), abs=1e-7)


def test_a_judge_that_never_varies_is_not_trusted_at_all() -> None:
    constant = prediction_powered_rate(PEOPLE, [1.0] * 10, [1.0] * 50)
    assert constant.value == pytest.approx(sum(PEOPLE) / 10)
    assert prediction_powered_rate([], [], ELSEWHERE).undefined is Undefined.NO_ITEMS


known = st.tuples(st.integers(0, 200), st.integers(1, 200)).map(lambda pair: Known(min(pair), max(pair)))


@given(known, known, known)
def test_a_corrected_rate_lies_in_its_interval_and_in_the_unit_interval(
    judged: Known, negatives: Known, positives: Known
) -> None:
    found = corrected_rate(judged, negatives, positives)
    if found.value is None:
        assert found.undefined is Undefined.JUDGE_USELESS
        assert youden_interval(negatives, positives).low <= 0
        return
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


counts = st.integers(min_value=0, max_value=40)


@given(counts, counts, counts, counts, st.integers(0, 500), st.integers(0, 500))
def test_rates_of_all_lie_in_their_limits_and_are_the_plain_ones_where_all_were_read(
    tp: int, fp: int, fn: int, tn: int, more_yes: int, more_no: int
) -> None:
    yes, no = Known(tp, tp + fp), Known(tn, tn + fn)
    tpr, tnr = rates_of_all(yes, no, Called(yes.n, no.n))
    if not (yes.n and no.n):
        assert tpr.value is tnr.value is None
        assert tpr.undefined is (Undefined.NOT_BOTH_READ if yes.n + no.n else Undefined.NO_ITEMS)
        return
    for figure, hits, lost in ((tpr, tp, fn), (tnr, tn, fp)):
        if hits + lost:
            assert figure.value == pytest.approx(hits / (hits + lost))
        else:
            assert figure.undefined is Undefined.NO_POSITIVES
    for figure in rates_of_all(yes, no, Called(yes.n + more_yes, no.n + more_no)):
        if figure.value is not None:
            assert figure.low is not None
            assert figure.high is not None
            assert 0 <= figure.low <= figure.value + 1e-12 <= figure.high + 2e-12 <= 1 + 3e-12
