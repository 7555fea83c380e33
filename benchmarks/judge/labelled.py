"""The human-labelled pairs that judges are fitted and measured on, read from the shared data folder."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("RAG_TRIAGE_SHARED", ROOT.parent / "shared")) / "data"
SETS = ("factcheck_gpt", "begin_wow")
REFUSAL = "The documents do not answer this question."


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, a chunk text, and whether people say that the text supports the claim completely."""

    claim: str
    text: str
    supported: bool
    raw: str
    group: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its own answer, and the answers of the two nearest other questions."""

    question: str
    own: str
    neighbour: str
    closest_answer: str
    is_dev: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """An LLM's answer with its passages, its mean human faithfulness (1-4) and the data's own LLM judge (0-1)."""

    task: str
    text: str
    passages: tuple[str, ...]
    human: float
    llm_judge: float


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose claims people checked against its passages, and the share that some passage supports."""

    claims: tuple[str, ...]
    passages: tuple[str, ...]
    faithfulness: float


def rows(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def grounding(name: str, split: str) -> list[Pair]:
    """Return one split of FactCheck-GPT (claim, web snippet) or BEGIN-WoW (response, knowledge)."""
    if name == "factcheck_gpt":
        return [
            Pair(
                row["claim"],
                row["evidence"],
                row["label_raw"] == "completely-support",
                row["label_raw"],
                row["claim_id"],
            )
            for row in rows(DATA / name / f"pairs_{split}.jsonl")
        ]
    return [
        Pair(row["claim"], row["evidence"], row["label"] == 1, row["label_raw"], row["query"])
        for row in rows(DATA / name / f"{split}.jsonl")
    ]


def relevance() -> list[Asked]:
    """Return questions with own and foreign answers. Constructed: no human relevance labels exist."""
    own = _own_answers()
    questions = [frozenset(question.lower().split()) for question, _ in own]
    answers = [frozenset(answer.lower().split()) for _, answer in own]
    return [
        Asked(
            question,
            answer,
            own[_nearest(i, questions, questions)][1],
            own[_nearest(i, questions, answers)][1],
            is_dev=hashlib.sha256(question.encode()).digest()[0] % 2 == 0,
        )
        for i, (question, answer) in enumerate(own)
    ]


def _nearest(i: int, left: list[frozenset[str]], right: list[frozenset[str]]) -> int:
    def overlap(j: int) -> tuple[float, int]:
        return (len(left[i] & right[j]) / max(1, len(left[i] | left[j])), -j)

    return max((j for j in range(len(left)) if left[j] != left[i]), key=overlap)


def _own_answers() -> list[tuple[str, str]]:
    own = []
    for row in rows(DATA / "clapnq_dev" / "questions.jsonl"):
        own += [(row["query"], answer["answer"]) for answer in row["answers"][:1] if answer["answer"]]
    tasks = rows(DATA / "mtrag_human_eval" / "tasks.jsonl") + rows(DATA / "mtrag_un" / "tasks.jsonl")
    for row in tasks:
        reference = row["reference_answer"]
        answer = reference[0] if isinstance(reference, list) else reference
        if not row["conversation"] and answer and "ANSWERABLE" in row["answerability"]:
            own.append((row["query"], answer))
    return own


def mtrag_answers() -> list[Answer]:
    """Return the answers of the two language models of MTRAG's human evaluation."""
    tasks = {row["id"]: row for row in rows(DATA / "mtrag_human_eval" / "tasks.jsonl")}
    found = []
    for row in rows(DATA / "mtrag_human_eval" / "evaluations.jsonl"):
        marks = [float(mark) for mark in row["human"]["faithfulness"].values()]
        judge = row["judges"]["rl_f"]
        if row["model"] != "reference" and marks and judge is not None:
            passages = tuple(chunk["text"] for chunk in tasks[row["task_id"]]["retrieved"] or [])
            found.append(Answer(row["task_id"], row["answer"], passages, fmean(marks), float(judge)))
    return found


def factcheck_answers() -> list[CheckedAnswer]:
    """Return the answers of the FactCheck-GPT run whose every claim has a human verdict."""
    found = []
    for row in rows(DATA / "runs" / "factcheck_gpt.jsonl"):
        claims = row.get("claims") or []
        if claims and all(claim.get("human") for claim in claims):
            supported = [any(mark["label"] == "supported" for mark in claim["human"]) for claim in claims]
            texts = tuple(claim["text"] for claim in claims)
            passages = tuple(chunk["text"] for chunk in row["retrieved"])
            found.append(CheckedAnswer(texts, passages, fmean(supported)))
    return found
