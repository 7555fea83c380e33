"""What the match with a reference is worth where the truth is known: the table of docs/metrics.md, counted again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score

from tests.conftest import ROOT
from triage.core.policy import DEFAULT_POLICY
from triage.core.reference import Match, agrees, match

RUNS = {
    "CLAPNQ, extractive answers, k 20": "clapnq_arm_k20.jsonl.gz",
    "MTRAG, gpt-4o, median of three raters": "mtrag_gpt-4o.jsonl",
    "MTRAG, llama-3.1-405b, median of three raters": "mtrag_llama-3_1-405b-instruct.jsonl",
    "FactCheck-GPT, whole answers": "factcheck_gpt.jsonl",
}


def decided(path: Path) -> list[tuple[Match, bool]]:
    """Return match and truth of every answerable query that has a reference and a verdict."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = (json.loads(line) for line in data.split(b"\n") if line.strip())
    queries = [query for query in lines if query.get("kind", "query") == "query"]
    kept = [query for query in queries if query.get("correct") is not None and query.get("answerable") is not False]
    found = ((match(query["answer"], query.get("reference")), query["correct"]) for query in kept)
    return [(compared, truth) for compared, truth in found if compared is not None]


@pytest.mark.parametrize("name", RUNS)
def test_the_table_of_the_docs_is_what_the_data_says(name: str, shared: Path) -> None:
    pairs = decided(shared / "data" / "runs" / RUNS[name])
    right = [agrees(compared, DEFAULT_POLICY) for compared, truth in pairs if truth]
    wrong = [not agrees(compared, DEFAULT_POLICY) for compared, truth in pairs if not truth]
    auc = roc_auc_score([truth for _, truth in pairs], [compared.f1 for compared, _ in pairs])
    rates = f"{auc:.2f} | {sum(right) / len(right):.2f} | {sum(wrong) / len(wrong):.2f}"
    line = f"| {name} | {len(right)} of {len(pairs)} | {rates} |"
    assert line in (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8"), line
