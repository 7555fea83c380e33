"""Oracles A1, A2, L1 and a recount of every figure with scikit-learn."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from labeling.core import bootstrap, calibration
from labeling.core.calibration import Confusion, Judged, figures, label_figures, rate, score_figures
from labeling.core.figures import Undefined
from labeling.core.items import LabelPair
from labeling.core.rates import Known
from labeling.core.reliability import expected_calibration_error, reliability_bins


def of_table(tp: int, fp: int, fn: int, tn: int) -> list[Judged]:
    cells = [(True, True)] * tp + [(False, True)] * fp + [(True, False)] * fn + [(False, False)] * tn
    return [Judged(str(n), str(n), human, judge) for n, (human, judge) in enumerate(cells)]


def test_A1_rates_of_a_balanced_table() -> None:
    found = figures(of_table(20, 5, 10, 15))
    assert found["tpr"].value == pytest.approx(0.6667, abs=1e-4)
    assert found["tnr"].value == pytest.approx(0.75)
    assert found["youden_j"].value == pytest.approx(0.4167, abs=1e-4)
    assert found["kappa"].value == pytest.approx(0.4)


def test_A2_balanced_accuracy_shows_what_raw_agreement_hides() -> None:
    found = figures(of_table(118, 5, 2, 0))
    assert found["balanced_accuracy"].value == pytest.approx(0.4917, abs=1e-4)
    assert found["raw_agreement"].value == pytest.approx(0.944)


@pytest.mark.parametrize(("n", "limits"), [(50, (0.812, 0.968)), (100, (0.850, 0.959)), (200, (0.874, 0.950))])
def test_L1_how_sure_a_tpr_is_by_the_number_of_positives(n: int, limits: tuple[float, float]) -> None:
    found = rate(Known(round(0.92 * n), n), Undefined.NO_POSITIVES)
    assert (found.low, found.high) == pytest.approx(limits, abs=6e-4)


def test_A4_one_class_only_names_what_is_missing() -> None:
    found = figures(of_table(12, 0, 3, 0))
    assert found["tpr"].value == pytest.approx(0.8)
    assert found["tnr"].undefined is Undefined.NO_NEGATIVES
    assert found["balanced_accuracy"].undefined is Undefined.NO_NEGATIVES
    assert figures(of_table(0, 2, 0, 3))["youden_j"].undefined is Undefined.NO_POSITIVES
    assert {figure.undefined for figure in figures([]).values()} >= {Undefined.NO_ITEMS, Undefined.NO_SCORES}


def test_scores_of_one_class_have_no_auroc() -> None:
    rows = [Judged("q", "c", human=True, judge=True, score=0.9), Judged("q", "d", human=True, judge=True, score=0.8)]
    found = figures(rows)
    assert found["auroc"].undefined is Undefined.NO_NEGATIVES
    assert found["brier"].value == pytest.approx(0.025)
    assert found["brier"].low is None


judged = st.builds(
    Judged,
    query=st.sampled_from(["a", "b", "c", "d", "e", "f"]),
    item=st.just("x"),
    human=st.booleans(),
    judge=st.booleans(),
    score=st.sampled_from([None, 0.0, 0.1, 0.3, 0.5, 0.7, 0.7, 0.95, 1.0]),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(judged, min_size=3, max_size=40))
def test_every_figure_equals_an_independent_recount(rows: list[Judged]) -> None:
    found = figures(rows)
    human, judge = [row.human for row in rows], [row.judge for row in rows]
    both = len(set(human)) == 2
    if both:
        assert found["balanced_accuracy"].value == pytest.approx(balanced_accuracy_score(human, judge))
        assert found["tpr"].value == pytest.approx(recall_score(human, judge))
    if found["kappa"].value is not None:
        assert found["kappa"].value == pytest.approx(cohen_kappa_score(human, judge), abs=1e-9)
    scored = [(row.score, row.human) for row in rows if row.score is not None]
    if scored:
        scores, truth = (list(column) for column in zip(*scored, strict=True))
        assert found["brier"].value == pytest.approx(
            brier_score_loss([*truth, True, False], [*scores, 1, 0]) * (len(scores) + 2) / len(scores)
        )
        assert found["ece"].value == pytest.approx(expected_calibration_error(reliability_bins(scores, truth)))
        if len(set(truth)) == 2:
            assert found["auroc"].value == pytest.approx(roc_auc_score(truth, scores), abs=1e-9)
    for figure in found.values():
        if figure.low is not None and figure.high is not None and figure.value is not None:
            assert figure.low <= figure.value + 1e-9
            assert figure.value - 1e-9 <= figure.high
    assert {key: figure.n for key, figure in figures(rows[::-1]).items()} == {key: f.n for key, f in found.items()}


def test_the_order_of_rows_never_changes_an_interval() -> None:
    rows = [Judged(f"q{n % 9}", str(n), human=n % 3 > 0, judge=n % 4 > 0, score=(n * 7 % 11) / 10) for n in range(60)]
    assert figures(rows) == figures(sorted(rows, key=lambda row: row.item, reverse=True))


def test_intervals_narrow_with_more_labels() -> None:
    def widths(times: int) -> list[float]:
        rng = random.Random(5)
        rows = [
            Judged(f"q{n % (20 * times)}", str(n), rng.random() < 0.6, rng.random() < 0.7, rng.random())
            for n in range(60 * times)
        ]
        found = figures(rows)
        kept = [found[key] for key in ("tpr", "kappa", "auroc", "brier", "balanced_accuracy")]
        return [figure.high - figure.low for figure in kept if figure.low is not None and figure.high is not None]

    few, many = widths(1), widths(9)
    assert len(few) == len(many) == 5
    assert all(large < small for small, large in zip(few, many, strict=True))


def test_the_four_cells() -> None:
    table = Confusion.of(of_table(3, 1, 2, 4))
    assert (table.tp, table.fp, table.fn, table.tn) == (3, 1, 2, 4)
    assert (table.positives, table.negatives) == (Known(3, 5), Known(4, 5))


LABELS = ("a", "b", "c")


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("abc")), min_size=1, max_size=30))
def test_precision_recall_and_f1_per_label_equal_scikit_learn(words: list[tuple[str, str]]) -> None:
    found = label_figures([LabelPair(str(n % 4), *pair) for n, pair in enumerate(words)], LABELS)
    left, right = (list(column) for column in zip(*words, strict=True))
    for label in LABELS:
        truth, said = [word == label for word in left], [word == label for word in right]
        ours = found[label]
        if ours.precision.value is None:
            assert ours.precision.undefined is Undefined.NEVER_SAID
            assert not any(said)
        else:
            assert ours.precision.value == pytest.approx(precision_score(truth, said))
        if ours.recall.value is not None:
            assert ours.recall.value == pytest.approx(recall_score(truth, said))
        if ours.f1.value is not None:
            assert ours.f1.value == pytest.approx(f1_score(truth, said))
        else:
            assert not any(truth)
            assert not any(said)


def many(count: int, claims: int = 4) -> list[Judged]:
    rng = random.Random(9)
    rows = []
    for number in range(count):
        human = rng.random() < 0.6
        score = min(1.0, max(0.0, rng.gauss(0.6 if human else 0.4, 0.25)))
        rows.append(Judged(f"q{number // claims}", f"c{number}", human, score >= 0.5, score))
    return rows


def test_very_many_scores_keep_the_point_and_nearly_the_interval_of_auroc(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = many(2_000)
    ranked = score_figures(rows)["auroc"]
    monkeypatch.setattr(calibration, "MOST_RANKED", 100)
    projected = score_figures(rows)["auroc"]
    assert (
        ranked.value
        == projected.value
        == pytest.approx(roc_auc_score([row.human for row in rows], [row.score for row in rows]))
    )
    assert ranked.low is not None
    assert ranked.high is not None
    width = ranked.high - ranked.low
    assert (projected.low, projected.high) == pytest.approx((ranked.low, ranked.high), abs=0.03 * width)


def test_very_many_clusters_keep_the_point_and_nearly_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = many(6_000, claims=2)
    each = figures(rows)
    monkeypatch.setattr(bootstrap, "MOST_CLUSTERS", 500)
    grouped = figures(rows)
    for name in ("kappa", "brier", "ece", "raw_agreement"):
        before, after = each[name], grouped[name]
        assert after.value == before.value
        assert before.low is not None
        assert before.high is not None
        width = before.high - before.low
        assert (after.low, after.high) == pytest.approx((before.low, before.high), abs=0.12 * width)
