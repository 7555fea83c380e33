"""When the scores of a query's candidates call for a caveat."""

from __future__ import annotations

import math

import pytest

from triage.core.confidence import RetrievalConfidence, retrieval_confidence


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
