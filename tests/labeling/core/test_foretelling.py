"""AUROC, fifths and the line of a caveat, against scikit-learn and against what they must do."""

from __future__ import annotations

import random

import pytest
from sklearn.metrics import roc_auc_score

from labeling.core.foretelling import Case, auroc, caveat, fifths


def cases(rows: list[tuple[float, bool]]) -> list[Case]:
    return [Case(float(sure), failed, dev=place % 2 == 0) for place, (sure, failed) in enumerate(rows)]


def mixed(n: int, gap: float, seed: int = 3) -> list[Case]:
    """Return n cases, a third failing, whose signal is lower by `gap` standard deviations where they fail."""
    rng = random.Random(seed)
    outcomes = [rng.random() < 1 / 3 for _ in range(n)]
    return cases([(rng.gauss(0.0 if failed else gap, 1.0), failed) for failed in outcomes])


@pytest.mark.parametrize("seed", range(40))
def test_the_area_is_scikit_learns(seed: int) -> None:
    rng = random.Random(seed)
    rows = [(float(rng.randint(0, 9)), rng.random() < 0.4) for _ in range(rng.randint(2, 40))]
    found = auroc(cases(rows))
    if len({failed for _, failed in rows}) == 1:
        assert found.value is None
        return
    right = [not failed for _, failed in rows]
    assert found.value == pytest.approx(roc_auc_score(right, [sure for sure, _ in rows]))
    assert found.n == len(rows)
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    # A gap of one standard deviation is an area of Phi(1 / sqrt 2) = 0.7602.
    found = [auroc(mixed(150, 1.0, seed)) for seed in range(300)]
    covered = sum(one.low is not None and one.high is not None and one.low <= 0.7602 <= one.high for one in found)
    assert 0.91 <= covered / 300 <= 0.98


def test_a_perfect_signal_on_few_queries_is_not_called_certain() -> None:
    found = auroc(cases([(1, True), (2, False), (3, False)]))
    assert found.value == 1.0
    assert found.low is not None
    assert found.low < 0.5
    assert not found.foretells


def test_fifths_hold_every_query_once_and_keep_ties_together() -> None:
    found = fifths(mixed(101, 1.0))
    assert sum(part.n for part in found) == 101
    assert len(found) == 5
    assert found[0].rate > found[-1].rate
    flat = fifths(cases([(1.0, True)] * 50 + [(2.0, False)] * 3))
    assert [(part.lowest, part.n) for part in flat] == [(1.0, 50), (2.0, 3)]
    assert fifths([]) == ()


def test_a_line_is_chosen_on_one_half_and_told_from_the_other() -> None:
    many = mixed(400, 1.5)
    found = caveat(many)
    assert found is not None
    assert found.marked.n + found.rest.n == sum(not case.dev for case in many)
    assert found.marked.rate > found.rest.rate
    assert found.marked.failing == sum(case.failed and case.sure < found.line for case in many if not case.dev)


def test_a_signal_that_says_nothing_suggests_no_line() -> None:
    assert caveat(mixed(400, 0.0)) is None
    assert caveat([]) is None
    assert caveat(cases([(1, True)] * 9)) is None
