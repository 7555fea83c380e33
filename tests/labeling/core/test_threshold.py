"""Oracle E5 and the sweep over every distinct score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from labeling.core.threshold import at, best, sweep, thinned

SCORES = [0.95, 0.9, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
HUMAN = [True, True, True, False, True, False, True, False, False, False]


def test_E5_ties_go_to_the_higher_tnr() -> None:
    points = sweep(SCORES, HUMAN)
    tied = {point.threshold: point.balanced_accuracy for point in points if point.threshold in (0.85, 0.6, 0.4)}
    assert tied == pytest.approx({0.85: 0.8, 0.6: 0.8, 0.4: 0.8})
    chosen = best(points)
    assert chosen is not None
    assert (chosen.threshold, chosen.tnr, chosen.tpr) == (0.85, 1.0, 0.6)


def test_one_class_only_gives_no_sweep_and_no_choice() -> None:
    assert sweep([0.1, 0.9], [True, True]) == []
    assert best([]) is None
    assert at([], 0.5) is None


def test_any_threshold_is_read_from_the_sweep() -> None:
    points = sweep(SCORES, HUMAN)
    between = at(points, 0.55)
    assert between is not None
    assert between.threshold == 0.6
    above = at(points, 0.99)
    assert above is not None
    assert (above.tpr, above.tnr, above.balanced_accuracy) == (0, 1, 0.5)


rows = st.lists(st.tuples(st.sampled_from([n / 10 for n in range(11)]), st.booleans()), min_size=2, max_size=40)


@given(rows)
def test_every_point_equals_scikit_learn_and_lies_in_its_interval(pairs: list[tuple[float, bool]]) -> None:
    scores, human = (list(column) for column in zip(*pairs, strict=True))
    points = sweep(scores, human)
    assert [point.threshold for point in points] == (sorted(set(scores)) if 0 < sum(human) < len(human) else [])
    for point in points:
        theirs = balanced_accuracy_score(human, [score >= point.threshold for score in scores])
        assert point.balanced_accuracy == pytest.approx(theirs)
        assert point.low <= point.balanced_accuracy <= point.high
    assert sweep(scores[::-1], human[::-1]) == points


def test_thinning_keeps_the_ends_and_what_it_is_told_to() -> None:
    points = sweep([n / 200 for n in range(200)], [n % 3 == 0 for n in range(200)])
    short = thinned(points, 20, keep=[points[7].threshold])
    assert 20 <= len(short) <= 21
    assert {points[0], points[-1], points[7]} <= set(short)
    assert thinned(points, 500) == points
