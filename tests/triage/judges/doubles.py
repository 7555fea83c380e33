"""Real judges that misbehave on purpose, for the verbs' tests. They keep the port's contract except as named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from triage.core.judging import (
    GroundingItem,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceScore,
    Task,
)


def nothing(claim: str) -> None:
    """Let every claim pass."""


@dataclass
class CountingJudge:
    """Scores every pair by the length of its claim; remembers what it was asked; `before` may raise."""

    name: str = "counting"
    before: Callable[[str], None] = nothing
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(self.name, Task.GROUNDING, threshold=0.5)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        return [
            [self._word(claim.key, claim.text, chunk.key) for claim in item.claims for chunk in item.chunks]
            for item in items
        ]

    def _word(self, claim: str, text: str, chunk: str) -> PairScore:
        self.before(text)
        self.asked.append((text, chunk))
        return PairScore(claim, chunk, score=min(1.0, len(text) / 100), evidence=(0, 1))


@dataclass
class PaidLexical:
    """The lexical judge, with a memory of what it was told the run has spent."""

    told: list[int] = field(default_factory=list)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("paid", Task.GROUNDING)

    def begin(self, spent: int) -> None:
        self.told.append(spent)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        return [[PairScore(c.key, k.key, score=0.5) for c in item.claims for k in item.chunks] for item in items]


@dataclass
class FailingWords:
    """Answers every pair and every answer with an error word."""

    name: str = "failing words"
    task: Task = Task.GROUNDING

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(self.name, self.task)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        return [
            [PairScore(c.key, k.key, error="unreadable") for c in item.claims for k in item.chunks] for item in items
        ]

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]:
        return [RelevanceScore(item.key, error="unreadable") for item in items]
