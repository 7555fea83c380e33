"""The three runs of the demo: what was set how, and the `run` line of each file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Price of a million tokens in EUR, in and out.
INPUT_PER_MILLION = 2.0
OUTPUT_PER_MILLION = 8.0
_TARGETS = {"answer_relevance": 0.8, "context_recall": 0.9, "faithfulness": 0.85}


@dataclass(frozen=True, slots=True)
class Arm:
    """One run: the system under test over the whole evaluation set."""

    #: Names the source file of its answers and the run file that is written.
    key: str
    name: str
    release: str
    started_at: str
    k: int
    candidate_k: int
    reranker: str
    prompt: str
    context: str = "retrieved"

    @property
    def reranked(self) -> bool:
        return self.reranker != "none"

    @property
    def gold_only(self) -> bool:
        return self.context == "gold_only"

    def record(self, chunk_tokens: int) -> dict[str, Any]:
        """Return the `run` line. `chunk_tokens` is the size the splitter aims at."""
        return {
            "kind": "run",
            "name": self.name,
            "pipeline": "help-centre-assistant",
            "release": self.release,
            "started_at": self.started_at,
            "config": {
                "k": self.k,
                "candidate_k": self.candidate_k,
                "retriever": "hybrid-e2",
                "reranker": self.reranker,
                "generator": "reed-9b",
                "temperature": 0,
                "prompt": self.prompt,
                "context": self.context,
                "chunk_tokens": chunk_tokens,
            },
            "evaluation_set": {
                "name": "tallyrook-help",
                "version": "v4",
                "built_at": "2026-09-18T15:20:00Z",
                "questions_from": "logs",
                "pooled_from": ["bm25", "dense-e2"],
                "serving_k": self.k,
            },
            "prices": {"input_per_million": INPUT_PER_MILLION, "currency": "EUR"},
            "targets": _TARGETS,
            "meta": {"output_per_million": OUTPUT_PER_MILLION},
        }


ARMS: tuple[Arm, ...] = (
    Arm("2026_11", "tallyrook-2026.11", "2026.11", "2026-11-24T06:12:40Z", 8, 20, "rr-mini-2", "answer-v7"),
    Arm("2026_10", "tallyrook-2026.10", "2026.10", "2026-10-27T06:10:05Z", 12, 20, "none", "answer-v6"),
    Arm(
        "gold_only",
        "tallyrook-2026.11-gold-only",
        "2026.11",
        "2026-11-25T09:31:18Z",
        8,
        20,
        "none",
        "answer-v7",
        "gold_only",
    ),
)
