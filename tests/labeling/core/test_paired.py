"""Oracles P1-P5 and cross-checks of the paired tests with statsmodels and scipy."""

from __future__ import annotations

import gc
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2
from statsmodels.stats.contingency_tables import SquareTable, mcnemar
from statsmodels.stats.multitest import multipletests

from labeling.core.paired import (
    Decision,
    chi_square_tail,
    holm,
    mcnemar_exact,
    mean_change,
    share_change,
    sign_flip,
    stuart_maxwell,
)


@pytest.mark.parametrize(
    ("left", "right", "p"),
    [
        (5, 15, 0.0413895),
        (3, 12, 0.0351563),
        (1, 9, 0.0214844),
        (0, 5, 0.0625),
        (25, 10, 0.0166738),
        (10, 10, 1),
        (0, 0, 1),
    ],
)
def test_P1_mcnemar_exact(left: int, right: int, p: float) -> None:
    assert mcnemar_exact(left, right) == pytest.approx(p, abs=1e-7)


def test_P2_sign_flip() -> None:
    assert sign_flip([1.0] * 5) == pytest.approx(0.0625)
    assert sign_flip([1.0] * 9 + [-1.0]) == pytest.approx(0.0214844, abs=1e-7)
    assert sign_flip([0.0, 0.0]) == 1.0


def test_P5_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_equals_statsmodels(left: int, right: int) -> None:
    if left + right:
        theirs = mcnemar([[3, left], [right, 4]], exact=True).pvalue
        assert mcnemar_exact(left, right) == pytest.approx(theirs)


@pytest.mark.parametrize(("left", "right"), [(2400, 2500), (30_000, 31_000), (0, 5_000), (4_000, 4_000)])
def test_mcnemar_of_many_pairs_equals_scipy(left: int, right: int) -> None:
    theirs = binomtest(left, left + right, 0.5).pvalue
    assert mcnemar_exact(left, right) == pytest.approx(float(theirs), rel=1e-8, abs=1e-300)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_equals_statsmodels(values: list[float]) -> None:
    if values:
        gc.freeze()  # multipletests collects garbage at every call: half a second each among all that the suite holds
        try:
            theirs = list(multipletests(values, method="holm")[1])
        finally:
            gc.unfreeze()
        assert holm(values) == pytest.approx(theirs)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 15), min_size=16, max_size=16))
def test_stuart_maxwell_equals_statsmodels(cells: list[int]) -> None:
    table = np.array(cells).reshape(4, 4)
    theirs = SquareTable(table, shift_zeros=False).homogeneity()
    found = stuart_maxwell({(f"c{i}", f"c{j}"): int(table[i, j]) for i in range(4) for j in range(4)})
    assert found.statistic == pytest.approx(float(theirs.statistic), abs=1e-6)
    assert (found.degrees, found.p) == (3, pytest.approx(float(theirs.pvalue), abs=1e-6))


def test_stuart_maxwell_without_moves_and_with_separate_classes() -> None:
    assert stuart_maxwell({("a", "a"): 9}) == stuart_maxwell({})
    assert stuart_maxwell({}).p == 1.0
    apart = stuart_maxwell({("a", "b"): 9, ("b", "a"): 1, ("c", "d"): 5})
    assert apart.degrees == 2
    assert apart.statistic == pytest.approx(64 / 10 + 5)


@pytest.mark.parametrize("degrees", range(1, 8))
@pytest.mark.parametrize("statistic", [0.0, 0.5, 3.84, 40.0])
def test_the_chi_square_tail_equals_scipy(degrees: int, statistic: float) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(float(chi2.sf(statistic, degrees)), rel=1e-9)


def test_the_change_of_a_release_of_four_hundred_paired_queries() -> None:
    found = share_change(both=208, only_old=34, only_new=40, neither=118)
    assert found.difference == pytest.approx(0.015)
    assert (found.low, found.high) == pytest.approx((-0.0273, 0.0572), abs=1e-4)
    assert found.p == pytest.approx(0.5614, abs=1e-4)
    assert found.decision() is Decision.NOT_DECIDED


def test_a_decided_change_says_which_way() -> None:
    better, worse = share_change(200, 5, 60, 100), share_change(200, 60, 5, 100)
    assert (better.decision(), worse.decision()) == (Decision.BETTER, Decision.WORSE)
    assert better.decision(higher_is_better=False) is Decision.WORSE
    assert better.decision(p=0.2) is Decision.NOT_DECIDED


@given(*[st.integers(0, 60)] * 4)
def test_a_paired_share_lies_in_its_interval_and_turns_round_with_its_sign(a: int, b: int, c: int, d: int) -> None:
    if a + b + c + d == 0:
        with pytest.raises(ValueError, match="at least one pair"):
            share_change(a, b, c, d)
        return
    forth, back = share_change(a, b, c, d), share_change(a, c, b, d)
    assert forth.low is not None
    assert forth.high is not None
    assert -1 - 1e-9 <= forth.low <= forth.difference <= forth.high <= 1 + 1e-9
    assert (back.low, back.high) == pytest.approx((-forth.high, -forth.low))


def test_a_mean_change_has_its_interval_and_p_value() -> None:
    rng = random.Random(3)
    found = mean_change([rng.gauss(0.2, 0.3) for _ in range(200)])
    assert found.low is not None
    assert found.low > 0
    assert found.p < 0.001
    assert found.decision() is Decision.BETTER
    assert mean_change([0.3]).decision() is Decision.NOT_DECIDED
    with pytest.raises(ValueError, match="at least one pair"):
        mean_change([])


def test_the_normal_form_of_the_sign_flip_meets_the_exact_one() -> None:
    rng = random.Random(8)
    values = [rng.gauss(0.3, 1) for _ in range(16)]
    near = sign_flip([*values, 1e-9])
    assert near == pytest.approx(sign_flip(values), abs=0.04)
