from __future__ import annotations

import itertools
import math
import re

import pytest

from triage.core.charts import (
    CURVE,
    DIAGRAM,
    LABEL_GAP,
    Bin,
    SweepPoint,
    TrendPoint,
    reliability,
    threshold_curve,
    trend,
)
from triage.core.metrics import Missing

SWEEP = [
    SweepPoint(0.3, 0.821, 0.754, 0.876, 0.987, 0.655),
    SweepPoint(0.5, 0.841, 0.774, 0.889, 0.907, 0.776),
    SweepPoint(0.585, 0.883, 0.821, 0.920, 0.887, 0.879),
    SweepPoint(0.8, 0.763, 0.713, 0.802, 0.527, 1.000),
]


def _numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[0-9.]+", path)]


def test_a_curve_is_drawn_inside_its_plane() -> None:
    curve = threshold_curve(SWEEP, in_use=0.5, chosen=0.585)
    for path in [curve.band, *(line.path for line in curve.lines)]:
        lengths = _numbers(path)
        assert all(CURVE.left <= x <= CURVE.right for x in lengths[::2])
        assert all(CURVE.top <= y <= CURVE.bottom for y in lengths[1::2])
    assert curve.band.endswith("Z")
    assert [line.name for line in curve.lines] == ["TNR", "balanced acc.", "TPR"]


def test_the_threshold_in_use_and_the_chosen_one_are_marked_on_the_curve() -> None:
    curve = threshold_curve(SWEEP, in_use=0.5, chosen=0.585)
    assert curve.in_use is not None
    assert curve.chosen is not None
    assert (curve.in_use.x, curve.in_use.label) == ("296.0", "in use 0.500")
    assert float(curve.chosen.y) < float(curve.in_use.y)
    assert threshold_curve(SWEEP, in_use=0.5).chosen is None


def test_the_order_of_the_sweep_does_not_matter() -> None:
    assert threshold_curve(SWEEP[::-1], in_use=0.5) == threshold_curve(SWEEP, in_use=0.5)


def test_a_threshold_below_the_whole_sweep_is_still_marked() -> None:
    curve = threshold_curve(SWEEP, in_use=0.1)
    assert curve.in_use is not None
    assert curve.in_use.x == f"{CURVE.x(0.1):.1f}"


def test_names_of_curves_that_meet_stay_apart() -> None:
    flat = [SweepPoint(0.1, 0.9, 0.8, 1.0, 0.9, 0.9), SweepPoint(0.9, 0.9, 0.8, 1.0, 0.9, 0.9)]
    heights = sorted(float(line.label_y) for line in threshold_curve(flat, in_use=0.5).lines)
    assert all(below - above >= LABEL_GAP for above, below in itertools.pairwise(heights))


def test_a_poor_judge_lowers_the_axis_so_that_the_band_is_seen() -> None:
    poor = threshold_curve([SweepPoint(0.5, 0.2, 0.12, 0.3, 0.2, 0.2)], in_use=0.5)
    assert poor.up[0].label == "0.1"


def test_an_empty_sweep_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one threshold"):
        threshold_curve([], in_use=0.5)


def test_reliability_puts_a_bin_at_its_mean_score_and_share() -> None:
    drawn = reliability([Bin(15, 0.05, 0.0, 0.0, 0.2), Bin(45, 0.95, 1.0, 0.92, 1.0), Bin(0, 0.5, 0.0, 0.0, 1.0)])
    first, last = drawn.bins
    assert (first.x, first.y) == (f"{DIAGRAM.x(0.05):.1f}", f"{DIAGRAM.bottom:.1f}")
    assert last.y == f"{DIAGRAM.top:.1f}"
    assert float(last.block_height) == pytest.approx(3 * float(first.block_height), abs=0.1)
    assert float(first.block_x) < float(last.block_x)


def test_reliability_without_claims_draws_only_the_frame() -> None:
    assert reliability([]).bins == ()


@pytest.mark.parametrize("nothing", [None, Missing.NO_GOLD, math.nan])
def test_a_run_without_the_value_is_a_gap_in_the_trend_not_a_zero(nothing: object) -> None:
    runs = [TrendPoint(str(k), value) for k, value in enumerate([0.5, 0.6, nothing, 0.7, 0.8])]
    drawn = trend(runs, target=0.9)
    assert len(drawn.pieces) == 2
    assert drawn.marks[2].y == ""
    assert drawn.target_y != ""


def test_a_trend_of_one_run_is_a_point_without_a_line() -> None:
    drawn = trend([TrendPoint("2026.11", 0.62, 0.57, 0.67)])
    assert drawn.pieces == ()
    assert drawn.marks[0].low_y > drawn.marks[0].y > drawn.marks[0].high_y
    assert drawn.target_y == ""
    assert trend([]).marks == ()
