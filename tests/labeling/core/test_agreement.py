"""Oracles A1-A5, cross-checks with scikit-learn, statsmodels and krippendorff, and the properties of agreement."""

from __future__ import annotations

import json
import statistics
from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from labeling.core.agreement import Agreement, Scale, agreement_of_pairs, agreement_of_units
from labeling.core.figures import Undefined
from labeling.core.items import LabelPair, Unit

YES_NO = ("yes", "no")


def of_table(tp: int, fp: int, fn: int, tn: int) -> Agreement:
    """Left is the person, right the judge; every item is its own query."""
    cells = [("yes", "yes", tp), ("no", "yes", fp), ("yes", "no", fn), ("no", "no", tn)]
    words = [(left, right) for left, right, count in cells for _ in range(count)]
    return agreement_of_pairs([LabelPair(str(n), *pair) for n, pair in enumerate(words)], YES_NO)


def test_A1_agreement_of_a_balanced_table() -> None:
    found = of_table(20, 5, 10, 15)
    assert found.raw.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.ac1.value == pytest.approx(0.4059406, abs=1e-7)
    assert found.alpha.value == pytest.approx(0.4, abs=0.005)
    assert found.matrix == ((20, 10), (5, 15))


def test_A2_high_raw_agreement_with_a_negative_kappa() -> None:
    found = of_table(118, 5, 2, 0)
    assert found.raw.value == pytest.approx(0.944)
    assert found.kappa.value == pytest.approx(-0.0234, abs=1e-4)
    assert found.ac1.value == pytest.approx(0.9408, abs=1e-4)
    assert found.alpha.value == pytest.approx(-0.0247, abs=1e-4)


@pytest.mark.parametrize(("cells", "kappa"), [((45, 15, 25, 15), 0.1304), ((25, 35, 5, 35), 0.2593)])
def test_A3_the_same_raw_agreement_with_two_kappas(cells: tuple[int, int, int, int], kappa: float) -> None:
    found = of_table(*cells)
    assert found.raw.value == pytest.approx(0.6)
    assert found.kappa.value == pytest.approx(kappa, abs=1e-4)


def test_A4_one_class_only_is_undefined_by_name() -> None:
    found = of_table(12, 0, 0, 0)
    assert found.raw.value == 1.0
    for figure in (found.kappa, found.alpha, found.ac1):
        assert (figure.value, figure.low, figure.high) == (None, None, None)
        assert figure.undefined is Undefined.ONLY_ONE_CATEGORY
        assert figure.n == 12
    assert found.per_class["no"].undefined is Undefined.NEVER_SAID


def test_no_items_is_a_named_state_everywhere() -> None:
    found = agreement_of_units([Unit("q", ("yes",))], YES_NO)
    assert {found.raw.undefined, found.kappa.undefined, found.alpha.undefined} == {Undefined.NO_ITEMS}


WIKIPEDIA = (
    "* * * * * 3 4 1 2 1 1 3 3 * 3",
    "1 * 2 1 3 3 4 3 * * * * * * *",
    "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
)


def units_of(rows: tuple[str, ...]) -> list[Unit]:
    columns = zip(*(row.split() for row in rows), strict=True)
    return [Unit(str(n), tuple(word for word in column if word != "*")) for n, column in enumerate(columns)]


@pytest.mark.parametrize(("scale", "alpha"), [(Scale.NOMINAL, 0.691358), (Scale.INTERVAL, 0.810845)])
def test_A5_krippendorff_alpha_of_the_wikipedia_table(scale: Scale, alpha: float) -> None:
    found = agreement_of_units(units_of(WIKIPEDIA), ("1", "2", "3", "4"), scale)
    assert found.alpha.value == pytest.approx(alpha, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("1234"), min_size=0, max_size=4), min_size=2, max_size=15),
    st.sampled_from(list(Scale)),
)
def test_alpha_equals_the_krippendorff_package(rows: list[list[str]], scale: Scale) -> None:
    found = agreement_of_units([Unit(str(n), tuple(row)) for n, row in enumerate(rows)], tuple("1234"), scale)
    if found.alpha.value is None:
        return
    data = np.full((4, len(rows)), np.nan)
    for column, row in enumerate(rows):
        for rater, word in enumerate(row):
            data[rater, column] = float(word)
    theirs = krippendorff.alpha(data, level_of_measurement=str(scale), value_domain=[1.0, 2.0, 3.0, 4.0])
    assert found.alpha.value == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=30))
def test_kappa_equals_scikit_learn_and_ignores_order(words: list[tuple[str, str]]) -> None:
    pairs = [LabelPair(f"q{n % 7}", left, right) for n, (left, right) in enumerate(words)]
    found = agreement_of_pairs(pairs, tuple("abc"))
    assert agreement_of_pairs(pairs[::-1], tuple("abc")) == found
    if found.kappa.value is None:
        assert len({word for pair in words for word in pair}) == 1
        return
    left, right = zip(*words, strict=True)
    assert found.kappa.value == pytest.approx(cohen_kappa_score(left, right), abs=1e-9)
    if found.kappa.low is not None and found.kappa.high is not None:
        assert found.kappa.low <= found.kappa.value <= found.kappa.high


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=3), min_size=2, max_size=20))
def test_kappa_of_three_raters_equals_statsmodels(rows: list[list[str]]) -> None:
    found = agreement_of_units([Unit(str(n), tuple(row)) for n, row in enumerate(rows)], tuple("abc"))
    if found.kappa.value is None:
        return
    counts = [[row.count(label) for label in "abc"] for row in rows]
    assert found.kappa.value == pytest.approx(fleiss_kappa(counts), abs=1e-9)


def test_the_interval_narrows_as_items_are_added() -> None:
    small, large = of_table(20, 5, 10, 15), of_table(200, 50, 100, 150)
    assert width(large) < width(small)


def width(found: Agreement) -> float:
    assert found.kappa.low is not None
    assert found.kappa.high is not None
    return found.kappa.high - found.kappa.low


def test_claims_of_one_answer_are_one_cluster() -> None:
    words = [("yes", "yes")] * 20 + [("no", "no")] * 15 + [("yes", "no")] * 10 + [("no", "yes")] * 5
    apart = agreement_of_pairs([LabelPair(str(n), *pair) for n, pair in enumerate(words)], YES_NO)
    together = agreement_of_pairs([LabelPair(str(n // 5), *pair) for n, pair in enumerate(words)], YES_NO)
    assert together.kappa.value == apart.kappa.value
    assert (together.clusters, apart.clusters) == (10, 50)
    assert width(together) > width(apart)


def test_P58_items_seen_by_one_person_only_are_left_out() -> None:
    units = [Unit(str(n), ("yes", "yes" if n % 2 else "no")) for n in range(6)]
    alone = [Unit(f"alone{n}", ("yes",)) for n in range(4)]
    found = agreement_of_units(units + alone, YES_NO)
    assert found.n == 6
    assert found.raw.value == pytest.approx(0.5)


def test_P60_a_majority_class_does_not_hide_a_judge_that_never_fails_anyone() -> None:
    found = of_table(19, 1, 0, 0)
    assert found.raw.value == pytest.approx(0.95)
    assert found.kappa.value == pytest.approx(0.0)
    assert found.per_class["no"].value == 0.0


MTRAG = {
    "faithfulness": (0.590, 0.550),
    "completeness": (0.686, 0.392),
    "appropriateness": (0.624, 0.050),
    "naturalness": (0.835, 0.299),
}


@pytest.mark.parametrize("metric", sorted(MTRAG))
def test_three_human_raters_of_mtrag_agree_as_published(shared: Path, metric: str) -> None:
    units = mtrag_units(shared, metric)
    found = agreement_of_units(units, ("1", "2", "3", "4"), Scale.INTERVAL)
    raw, alpha = MTRAG[metric]
    assert found.alpha.value == pytest.approx(alpha, abs=6e-4)
    pairs = [a == b for unit in units for a, b in combinations(unit.labels, 2)]
    assert statistics.fmean(pairs) == pytest.approx(raw, abs=6e-4)
    assert sum(found.matrix[k][k] for k in range(4)) == sum(pairs)


def mtrag_units(shared: Path, metric: str) -> list[Unit]:
    lines = (shared / "data/mtrag_human_eval/evaluations.jsonl").read_text(encoding="utf-8").splitlines()
    units = []
    for number, row in enumerate(map(json.loads, lines)):
        units.append(Unit(str(number), tuple(row["human"][metric].values())))
    return units


@pytest.mark.parametrize("found", [agreement_of_pairs([], ("a", "b")), agreement_of_units([Unit("q", ("a",))], ("a",))])
def test_nothing_shared_is_no_items_and_no_error(found: Agreement) -> None:
    assert (found.n, found.clusters) == (0, 0)
    for figure in (found.raw, found.kappa, found.alpha, found.ac1):
        assert (figure.value, figure.undefined) == (None, Undefined.NO_ITEMS)
