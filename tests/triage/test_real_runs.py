"""The verb on real runs: its numbers equal an independent recount of the file."""

from __future__ import annotations

import gzip
import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.factories import make_project
from triage import intake
from triage.classify import classify
from triage.ingest import ingest
from triage.models import Suggestion
from triage.models.closing import closure_checks

pytestmark = pytest.mark.django_db

#: arm -> accuracy, failing, recall, precision, precision at ranks, mean context tokens, as the data's README says
ARMS = {
    "k20": (0.328, 232, 0.957, 0.077, 0.868, 1854.8),
    "k5": (0.339, 228, 0.914, 0.297, 0.873, 458.6),
    "rerank50to5": (0.339, 228, 0.946, 0.306, 0.898, 458.3),
    "gold_only": (0.525, 164, 1.0, 1.0, 1.0, 128.9),
}


def recount(path: Path) -> dict[str, float]:
    """Count the file again, in the plainest way, from nothing but its lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        queries = [json.loads(line) for line in lines if '"kind": "query"' in line]
    failing = sum(query["correct"] is False for query in queries)
    recalls, precisions = [], []
    for query in queries:
        context = [slot["id"] for slot in query["retrieved"] if slot["in_context"]]
        if query["gold"]:
            recalls.append(len(set(context) & set(query["gold"])) / len(set(query["gold"])))
        if query["gold"] and context:
            precisions.append(sum(slot in query["gold"] for slot in context) / len(context))
    return {
        "failing": failing,
        "accuracy": 1 - failing / len(queries),
        "context_recall": sum(recalls) / len(recalls),
        "context_precision": sum(precisions) / len(precisions),
        "below": sum(recall < 0.5 for recall in recalls),
    }


@pytest.mark.parametrize("arm", ARMS)
def test_a_real_arm_measures_as_its_file_recounted(shared: Path, arm: str) -> None:
    path = shared / "data" / "runs" / f"clapnq_arm_{arm}.jsonl.gz"
    run = ingest(intake.store(make_project(), None, path.name, iter([path.read_bytes()]), "").pk).run
    assert run is not None
    summary, counted = classify(run.pk), recount(path)
    run.refresh_from_db()
    metrics: dict[str, Any] = {key: told["value"] for key, told in summary["metrics"].items()}
    for key in ("accuracy", "context_recall", "context_precision"):
        assert metrics[key] == pytest.approx(counted[key], abs=1e-12), key
    keys = ("accuracy", "context_recall", "context_precision", "context_precision_at_ranks")
    accuracy, failing, *rest, tokens = ARMS[arm]
    assert [metrics[key] for key in keys] == pytest.approx([accuracy, *rest], abs=6e-4)
    assert metrics["context_tokens"] == pytest.approx(tokens, abs=0.06)
    classes = Suggestion.objects.classes(run)
    assert sum(classes.values()) == summary["outcomes"]["failing"] == counted["failing"] == failing
    assert classes.get("retrieval_miss", 0) <= counted["below"]
    assert all(check.ok for check in closure_checks(run))
    assert set(chain.from_iterable(told["left_out"] for told in summary["metrics"].values())) <= {
        "abstained", "answerable", "judge_error", "no_citations", "no_claims", "no_gold", "no_supported_claim",
        "not_answerable", "not_scored", "empty_context",
    }  # fmt: skip
