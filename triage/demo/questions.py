"""The evaluation set and the answers of each run, read from their source files."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import Any

from triage.demo.corpus import SOURCE

#: Topic -> the documents about it, where a retriever looks first.
SUBJECTS: dict[str, frozenset[str]] = {
    "access": frozenset({"people", "security", "pin-2025"}),
    "api": frozenset({"api", "quickstart", "hooks", "hooks-2025"}),
    "billing": frozenset({"plans-2026", "plans-2024", "billing"}),
    "data": frozenset({"privacy", "security", "integrations"}),
    "leave": frozenset({"leave", "leave-faq"}),
    "pay": frozenset({"sheets", "payroll"}),
    "rota": frozenset({"rota", "swaps-2025", "mobile"}),
    "time clock": frozenset({"clock", "pin-2025"}),
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the evaluation set. `gold` None = unknown, () = the documentation does not say."""

    id: str
    topic: str
    audience: str
    question: str
    reference: str
    gold: tuple[str, ...] | None
    answerable: bool
    conversation: tuple[dict[str, str], ...]

    @property
    def searched(self) -> str:
        """What the retriever was asked: the question with the earlier turns before it."""
        return " ".join([*(turn["text"] for turn in self.conversation), self.question])

    @property
    def slices(self) -> dict[str, str]:
        """Slice name -> value; `n_gold` says how many chunks hold the answer."""
        if self.gold is None:
            n_gold = "unknown"
        else:
            n_gold = ("none", "single")[len(self.gold)] if len(self.gold) < 2 else "multi"
        return {"audience": self.audience, "n_gold": n_gold, "topic": self.topic}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run made of one question; the marks in `text` are explained in source/answers/2026_11.toml."""

    text: str | None
    #: True, False, or None where nobody decided.
    correct: bool | None
    #: None = left to the abstention patterns.
    abstained: bool | None
    has_claims: bool
    #: None = drawn by the builder; False = not recorded.
    relevance: float | bool | None
    reranker_timed_out: bool
    #: Chunk -> rank it must land on; 0 = never retrieved.
    ranks: dict[str, int] = field(default_factory=dict)


def load_questions() -> list[Question]:
    """Return the questions in the order of their ids."""
    entries = tomllib.loads((SOURCE / "questions.toml").read_text(encoding="utf-8"))["query"]
    return sorted((_question(entry) for entry in entries), key=lambda question: question.id)


def _question(entry: dict[str, Any]) -> Question:
    answerable = entry.get("answerable", True)
    gold = entry.get("gold", None if answerable else [])
    return Question(
        id=entry["id"],
        topic=entry["topic"],
        audience=entry["audience"],
        question=entry["question"],
        reference=entry["reference"],
        gold=None if gold is None else tuple(gold),
        answerable=answerable,
        conversation=tuple(entry.get("conversation", ())),
    )


def load_answers(name: str) -> dict[str, Answer]:
    """Return the answers of `source/answers/NAME.toml` by question id."""
    entries = tomllib.loads((SOURCE / "answers" / f"{name}.toml").read_text(encoding="utf-8"))
    return {key: _answer(entry) for key, entry in entries.items()}


def _answer(entry: dict[str, Any]) -> Answer:
    return Answer(
        text=None if entry.get("no_answer") else entry["answer"],
        correct={"undecided": None, "from_abstention": None}.get(
            entry.get("correct", True), entry.get("correct", True)
        ),
        abstained=entry.get("abstained"),
        has_claims=entry.get("claims", True),
        relevance=entry.get("relevance"),
        reranker_timed_out=entry.get("reranker") == "timeout",
        ranks=entry.get("ranks", {}),
    )


def _correct(entry: dict[str, Any]) -> bool | None:
    """Return the verdict of the file; a word (`undecided`, `from_abstention`) says why there is none."""
    verdict = entry.get("correct", True)
    return verdict if isinstance(verdict, bool) else None


def load_planned() -> dict[str, dict[str, dict[str, str]]]:
    """Return run -> question id -> what is planted there (machine, truth, sub_cause, note)."""
    return tomllib.loads((SOURCE / "planned.toml").read_text(encoding="utf-8"))
