"""When a judge's word may be relied on."""

from __future__ import annotations

import pytest

from labeling.core.trust import Trust, trust


@pytest.mark.parametrize(
    ("labels", "positives", "age", "state"),
    [
        (0, 0, 0, Trust.UNCALIBRATED),
        (29, 15, 0, Trust.TOO_FEW),
        (200, 9, 0, Trust.TOO_FEW),
        (200, 191, 0, Trust.TOO_FEW),
        (30, 10, 0, Trust.CALIBRATED),
        (30, 20, 90, Trust.CALIBRATED),
        (30, 20, 90.01, Trust.STALE),
        (29, 15, 400, Trust.TOO_FEW),
    ],
)
def test_states_of_a_judge(labels: int, positives: int, age: float, state: Trust) -> None:
    assert trust(labels, positives, age) is state
