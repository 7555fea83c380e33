"""Rank correlation of people's ratings and a judge's raw score."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from labeling.core.figures import Undefined
from labeling.core.ratings import ranks, spearman


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1).map(lambda x: round(x, 1))), min_size=4, max_size=40))
def test_spearman_equals_scipy(pairs: list[tuple[int, float]]) -> None:
    left, right = (list(column) for column in zip(*pairs, strict=True))
    assert ranks(left) == list(rankdata(left))
    found = spearman(left, right)
    if len(set(left)) == 1 or len(set(right)) == 1:
        assert found.undefined is Undefined.ONLY_ONE_CATEGORY
        return
    assert found.value == pytest.approx(float(spearmanr(left, right).statistic), abs=1e-9)
    if found.low is not None and found.high is not None and found.value is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1


def test_three_pairs_are_too_few_to_correlate() -> None:
    assert spearman([1, 2, 3], [1, 2, 3]).value is None


@pytest.mark.parametrize(
    ("judge", "expected"), [("rl_f", 0.582), ("bert_kprec", 0.584), ("rb_agg", 0.426), ("rb_llm", 0.326)]
)
def test_automatic_judges_of_mtrag_follow_people_as_published(shared: Path, judge: str, expected: float) -> None:
    lines = (shared / "data/mtrag_human_eval/evaluations.jsonl").read_text(encoding="utf-8").splitlines()
    people, scores = [], []
    for row in map(json.loads, lines):
        if row["judges"].get(judge) is not None:
            scores.append(float(row["judges"][judge]))
            people.append(statistics.fmean(map(float, row["human"]["faithfulness"].values())))
    assert spearman(people, scores).value == pytest.approx(expected, abs=6e-4)
