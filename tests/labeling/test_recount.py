"""Judge pages on real human labels, recounted by scikit-learn, scipy and statsmodels from the file and the scores.

The shipped judge reads twelve answers of `factcheck_gpt` here and now; people marked every claim with every chunk.
Their full set (3,098 pairs) takes minutes: `python -m benchmarks.judge.evaluate` does that.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    confusion_matrix,
    recall_score,
    roc_auc_score,
)
from statsmodels.stats.proportion import proportion_confint

from labeling.calibrate import calibrate, judge_page
from labeling.models import Calibration
from tests.factories import make_project, make_user
from triage.ingest import ingest
from triage.intake import store
from triage.models import Judge, Project, Score
from triage.tasks.inprocess import run_to_end

pytestmark = pytest.mark.django_db
ANSWERS, MOST_PAIRS = 12, 110


def lines_of(shared: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the run's line with a seeded sample of answers, as text and as objects."""
    head, *rest = (shared / "data" / "runs" / "factcheck_gpt.jsonl").read_text(encoding="utf-8").splitlines()
    sized = [(line, json.loads(line)) for line in rest]
    small = [pair for pair in sized if 0 < len(pair[1].get("claims") or []) * len(pair[1]["retrieved"]) <= MOST_PAIRS]
    chosen = random.Random(5).sample(small, ANSWERS)
    return [head, *(line for line, _ in chosen)], [query for _, query in chosen]


@dataclass(frozen=True)
class Scored:
    """The project with the judge, and people's marks as the file tells them."""

    project: Project
    judge: Judge
    #: (query id, claim text, chunk id) -> people say it supports
    people: dict[tuple[str, str, str], bool]


@pytest.fixture
def scored(shared: Path) -> Scored:
    lines, queries = lines_of(shared)
    project = make_project(judge_order=["embedded"])
    upload = ingest(store(project, make_user(), "a.jsonl", ["\n".join(lines).encode()]).pk)
    assert upload.run_id is not None
    run_to_end(upload.run_id)
    people = {
        (query["id"], claim["text"], mark["chunk"]): mark["label"] == "supported"
        for query in queries
        for claim in query["claims"]
        for mark in claim.get("human") or []
    }
    return Scored(project, Judge.objects.get(name="embedded", task="grounding"), people)


def words_of(scored: Scored) -> dict[tuple[str, str, str], tuple[bool, float | None]]:
    """Return what the judge said of each pair: yes or no, and its score where it read the pair."""
    rows = Score.objects.filter(judge=scored.judge, claim__isnull=False)
    told = rows.values_list("query__key", "claim__text", "chunk__key", "value", "label")
    return {
        (query, claim, chunk): (label == "supported" if label else value >= scored.judge.threshold, value)
        for query, claim, chunk, value, label in told
    }


def test_the_judge_page_on_real_labels_equals_an_independent_recount(scored: Scored) -> None:
    calibrate(scored.project, scored.judge)
    row = Calibration.objects.get(kind="claim_support")
    check_words(scored, row.figures["all"])
    check_scores(scored, row.figures["all"])
    page = judge_page(scored.project, scored.judge, row.computed_at, user_id=0)
    shown = {line.name.split(",")[0]: line.value for line in page.everything}
    for name, key in (("TPR", "tpr"), ("TNR", "tnr"), ("Cohen's kappa", "kappa"), ("AUROC", "auroc")):
        assert shown[name] == row.figures["all"][key]["value"]


def check_words(scored: Scored, told: dict[str, Any]) -> None:
    said = words_of(scored)
    keys = sorted(scored.people.keys() & said.keys())
    assert told["n"] == len(keys) > 150
    human = np.array([scored.people[key] for key in keys])
    judge = np.array([said[key][0] for key in keys])
    (tn, fp), (fn, tp) = confusion_matrix(human, judge)
    assert told["confusion"] == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    expected = {
        "tpr": recall_score(human, judge),
        "tnr": recall_score(~human, ~judge),
        "balanced_accuracy": balanced_accuracy_score(human, judge),
        "youden_j": balanced_accuracy_score(human, judge, adjusted=True),
        "kappa": cohen_kappa_score(human, judge),
        "raw_agreement": np.mean(human == judge),
    }
    assert {name: told[name]["value"] for name in expected} == pytest.approx(expected)
    for name, hits, n in (("tpr", tp, tp + fn), ("tnr", tn, tn + fp)):
        low, high = proportion_confint(hits, n, method="wilson")
        assert (told[name]["low"], told[name]["high"], told[name]["n"]) == pytest.approx((low, high, n))


def check_scores(scored: Scored, told: dict[str, Any]) -> None:
    pairs = [
        (scored.people[key], score)
        for key, (_, score) in words_of(scored).items()
        if key in scored.people and score is not None
    ]
    human, scores = np.array([yes for yes, _ in pairs]), np.array([score for _, score in pairs])
    assert told["auroc"]["n"] == len(pairs)
    assert told["auroc"]["value"] == pytest.approx(roc_auc_score(human, scores))
    assert told["brier"]["value"] == pytest.approx(brier_score_loss(human, scores))
    places = np.clip(np.ceil(scores * 10).astype(int) - 1, 0, 9)
    gaps = [abs(scores[places == b].sum() - human[places == b].sum()) for b in range(10)]
    assert told["ece"]["value"] == pytest.approx(sum(gaps) / len(pairs))
