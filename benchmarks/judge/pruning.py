"""What reading only the picked chunks costs in AUC: every pair of the FactCheck-GPT run is read once.

`python -m benchmarks.judge.evaluate pruning` makes it (22,477 pairs: by far the longest of its tables).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.judge import figures, labelled
from triage.core.judging import ChunkText, ClaimText, GroundingItem
from triage.judges.embedded import GROUNDING_THRESHOLD, EmbeddedGrounding, pick


@dataclass(frozen=True, slots=True)
class Read:
    """One claim: what people say, the best score of all its chunks and of the picked ones, and how many those are."""

    supported: float
    best_of_all: float
    best_of_picked: float
    picked: int
    chunks: int


def read_claims() -> Iterator[Read]:
    """Yield every claim that people checked, all its chunks read."""
    judge = EmbeddedGrounding()
    for row in labelled.rows(labelled.DATA / "runs" / "factcheck_gpt.jsonl"):
        chunks = tuple(ChunkText(chunk["id"], chunk["text"]) for chunk in row.get("retrieved") or ())
        for given in row.get("claims") or ():
            if marks := given.get("human"):
                claim = ClaimText("a", given["text"])
                words = judge.read([GroundingItem("i", "", (claim,), chunks)])[0]
                scores = {word.chunk: word.score or 0.0 for word in words}
                keys = pick(claim, chunks)
                supported = float(any(mark["label"] == "supported" for mark in marks))
                best = max(scores[key] for key in keys)
                yield Read(supported, max(scores.values()), best, len(keys), len(scores))


def table() -> list[str]:
    """Return the table: every chunk of every claim read, against the picked ones only."""
    read = list(read_claims())
    y = np.array([claim.supported for claim in read])
    lines = ["| chunks read | pairs | claims | AUC | balanced accuracy |", "|---|---|---|---|---|"]
    for name, score, pairs in (
        ("all", np.array([claim.best_of_all for claim in read]), sum(claim.chunks for claim in read)),
        ("picked", np.array([claim.best_of_picked for claim in read]), sum(claim.picked for claim in read)),
    ):
        right = figures.balanced(GROUNDING_THRESHOLD)(y, score)
        lines.append(f"| {name} | {pairs:,} | {len(read)} | {figures.auc(y, score):.4f} | {right:.3f} |")
    return lines
