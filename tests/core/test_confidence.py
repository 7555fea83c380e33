"""Best score, margin and disagreement of a query's candidates; when a caveat is due."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.confidence import RetrievalConfidence, retrieval_confidence, signals

SCORES = st.lists(st.floats(-100, 100), min_size=2, max_size=30)


def test_top_and_margin_are_of_the_two_best_scores_in_any_order() -> None:
    found = signals([0.25, None, 0.75, 0.5])
    assert (found.top, found.margin, found.disagreement) == (0.75, 0.25, None)
    assert signals([]) == signals([None]) == signals([math.nan])
    assert signals([3.0]).margin is None


def test_the_reranker_decides_where_it_scored() -> None:
    found = signals([0.9, 0.8, 0.7], [-2.0, 4.0, 1.0])
    assert (found.top, found.margin) == (4.0, 3.0)


def test_disagreement_is_the_share_of_the_first_five_that_changed() -> None:
    retriever = [10.0 - place for place in range(10)]
    assert signals(retriever, retriever).disagreement == 0.0
    assert signals(retriever, retriever[::-1]).disagreement == 1.0
    # Two of the first five fall behind two others.
    assert signals(retriever, [9, 8, 7, 1, 0, 6, 5, 2, 1, 0]).disagreement == 0.4
    # With five or fewer candidates both keep the same ones whatever their order: nothing to say.
    assert signals(retriever[:5], retriever[:5][::-1]).disagreement is None


@given(SCORES)
def test_signals_do_not_depend_on_where_zero_lies(scores: list[float]) -> None:
    here, there = signals(scores), signals([score + 7 for score in scores])
    assert there.margin == pytest.approx(here.margin)
    assert here.margin is not None
    assert here.margin >= 0


@pytest.mark.parametrize(
    ("scores", "line", "value", "is_weak"),
    [
        ([0.3, 0.4], None, 0.4, True),
        ([0.3, 0.5], None, 0.5, False),
        ([12.0, 3.0], None, None, False),
        ([12.0, 3.0], 13.0, 12.0, True),
        ([-4.0], -5.0, -4.0, False),
        ([0.2, math.nan], None, None, False),
        ([None, 0.2], None, 0.2, True),
        ([], None, None, False),
    ],
)
def test_a_caveat_needs_a_scale_or_a_learned_line(
    scores: list[float | None], line: float | None, value: float | None, is_weak: bool
) -> None:
    found = retrieval_confidence(scores, line)
    assert (found.value, bool(found.caveat)) == (value, is_weak)


def test_the_caveat_says_the_score() -> None:
    assert retrieval_confidence([0.125]) == RetrievalConfidence(
        0.125, "Retrieval was weak: the best passage scores 0.12."
    )
