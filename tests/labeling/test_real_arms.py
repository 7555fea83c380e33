"""The four real arms through the command: figures, settings, warning, flips and what was buried."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.factories import make_project
from triage import intake
from triage.classify import classify
from triage.ingest import ingest
from triage.models import Run

pytestmark = pytest.mark.django_db

ARMS = ("k20", "k5", "rerank50to5", "gold_only")
#: metric -> what the data's README says of the arms, in their order, and to how many decimals
FIGURES: dict[str, tuple[tuple[float, ...], int]] = {
    "accuracy": ((0.328, 0.339, 0.339, 0.525), 3),
    "context_recall": ((0.957, 0.914, 0.946, 1.0), 3),
    "context_precision": ((0.077, 0.297, 0.306, 1.0), 3),
    "context_precision_at_ranks": ((0.868, 0.873, 0.898, 1.0), 3),
    "context_tokens": ((1854.8, 458.6, 458.3, 128.9), 1),
}


def imported(shared: Path) -> list[Run]:
    project, runs = make_project(), []
    for arm in ARMS:
        path = shared / "data" / "runs" / f"clapnq_arm_{arm}.jsonl.gz"
        run = ingest(intake.store(project, None, path.name, iter([path.read_bytes()]), "").pk).run
        assert run is not None
        classify(run.pk)
        runs.append(run)
    return runs


def compared(*runs: Run) -> dict[str, Any]:
    out = StringIO()
    call_command("compare", *(run.key for run in runs), json=True, stdout=out)
    body: dict[str, Any] = json.loads(out.getvalue())
    return body


def test_the_arms_compare_as_their_readme_says(shared: Path) -> None:
    wide, narrow, reranked, alone = runs = imported(shared)
    body = compared(*runs)
    for metric, (figures, places) in FIGURES.items():
        shown = [round(run["metrics"][metric]["value"], places) for run in body["runs"]]
        assert shown == list(figures), metric
    cut, rerank, isolated = compared(wide, narrow), compared(narrow, reranked), compared(wide, alone)
    assert cut["settings_that_differ"] == ["k"]
    assert cut["comparisons"][0]["warning"] == ""
    assert cut["comparisons"][0]["truncation"]["factor"] == pytest.approx(3.836, abs=0.001)
    assert rerank["settings_that_differ"] == ["candidate_k", "reranker"]
    assert "cannot be credited to either" in rerank["comparisons"][0]["warning"]
    assert len(isolated["flips"]["wrong_to_right"]) == 70
    assert len(isolated["comparisons"][0]["isolation"]["buried"]) == 46
    assert (isolated["paired"], isolated["unpaired"]) == (345, 0)
