"""Names and phrases of the pages: metrics, states, reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triage.core.correctness import SaidBy
from triage.core.flags import Flag
from triage.core.reference import MatchKind
from triage.models import Run

METRIC_NAMES: dict[str, str] = {
    "accuracy": "Accuracy",
    "context_precision": "Context precision",
    "context_precision_at_ranks": "Context precision at ranks",
    "context_recall": "Context recall",
    "candidate_recall": "Candidate recall",
    "evidence_complete": "Evidence complete (recall 1)",
    "evidence_found": "Evidence found (recall over 0)",
    "faithfulness": "Groundedness",
    "any_unsupported": "Any unsupported claim",
    "support_from_gold": "Support from gold",
    "answer_relevance": "Answer relevance",
    "citation_precision": "Citation precision",
    "citation_coverage": "Citation coverage",
    "false_answer_rate": "False answers to the unanswerable",
    "over_abstention_rate": "Over-abstention on the answerable",
    "latency_p50_ms": "Latency p50",
    "latency_p95_ms": "Latency p95",
    "context_tokens": "Context tokens, mean",
    "tokens_per_chunk": "Tokens per chunk, mean",
}
DURATIONS = frozenset({"latency_p50_ms", "latency_p95_ms"})
AMOUNTS = frozenset({"context_tokens", "tokens_per_chunk"})

#: Why queries are left out of a number, after their count: "9 have no claims".
LEFT_OUT_WORDS: dict[str, str] = {
    "undecided": "undecided",
    "answerable": "answerable",
    "not_answerable": "not answerable",
    "no_gold": "without gold",
    "empty_context": "with an empty context",
    "unknown_retrieval": "without known retrieval",
    "no_claims": "without claims",
    "judge_error": "without a usable score",
    "not_scored": "not scored",
    "abstained": "abstained",
    "no_citations": "without citations",
    "no_supported_claim": "without a supported claim",
    "missing": "not in the file",
    "no_answers": "in a run without any answer",
}

READING_WORDS: dict[str, str] = {"ok": "Healthy", "warn": "Look after", "open": "Not decided"}
CHECK_WORDS: dict[str, str] = {
    "adds_up": "Adds up",
    "recall_ceiling": "Under ceiling",
    "slices": "Partition",
    "tokens_per_chunk": "Tokens agree",
    "unchanged": "Unchanged",
}


@dataclass(frozen=True, slots=True)
class Badge:
    """A state as the look shows it: tone, words, icon."""

    tone: str
    words: str
    icon: str = ""


RUN_BADGES: dict[str, Badge] = {
    Run.State.SCORING: Badge("go", "Scoring"),
    Run.State.CLASSIFYING: Badge("go", "Classifying"),
    Run.State.DONE: Badge("ok", "Classified"),
    Run.State.PAUSED: Badge("warn", "Paused", "clock"),
    Run.State.FAILED: Badge("bad", "Failed"),
    Run.State.CANCELLED: Badge("open", "Cancelled"),
}


def left_out_words(left_out: Mapping[str, int]) -> str:
    """Return how many queries a number leaves out and why, the most first: '45 not answerable, 9 without claims'."""
    if not left_out:
        return "none left out"
    ordered = sorted(left_out.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {LEFT_OUT_WORDS.get(reason, reason.replace('_', ' '))}" for reason, count in ordered)


#: Who says whether an answer is correct.
CORRECT_BY: dict[str, str] = {
    SaidBy.FILE: "by the file",
    SaidBy.ABSTENTION: "nothing can be answered, so declining is right",
    SaidBy.MATCH: "by match with the reference",
    SaidBy.NOBODY: "nobody has said",
}
MATCH_WORDS: dict[str, str] = {
    MatchKind.EXACT: "the same words",
    MatchKind.INCLUDED: "the answer holds the whole reference",
    MatchKind.OVERLAP: "some words are shared",
    MatchKind.NOTHING: "no word is shared",
}
#: Oddities of a query that a list can be filtered by, short.
FLAG_NAMES: dict[str, str] = {
    Flag.TALKS_TO_JUDGE: "talks to its judge",
    Flag.NOT_ENGLISH: "not English",
    Flag.DUPLICATE_CHUNK: "repeated chunk",
    Flag.SCORE_OUT_OF_RANGE: "score off its scale",
}
#: Oddities of a query: what they mean, in a few words.
FLAG_WORDS: dict[str, str] = {
    Flag.TALKS_TO_JUDGE: "talks to its judge: possible injection",
    Flag.NOT_ENGLISH: "not English: the judge is English only",
    Flag.DUPLICATE_CHUNK: "a chunk was retrieved twice",
    Flag.SCORE_OUT_OF_RANGE: "a score of the file is off its scale",
    Flag.NO_CLAIMS_GIVEN: "the file says the answer makes no claim",
}
