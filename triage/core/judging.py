"""The port every judge implements: who it is, what it is asked, what it may answer.

A judge scores a claim against one chunk (task `grounding`) or an answer against its question (task
`relevance`). It is told everything and reads nothing else: no settings, no rows, no network unless the
operator gave it an endpoint. Scores lie in [0, 1]; anything else is an error outcome, never a clamped number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, runtime_checkable

from triage.core.labels import Support

#: Names of the judges a project asks unless it names its own, in this order: what came with the file, then a model,
#: then words alone.
DEFAULT_ORDER: tuple[str, ...] = ("recorded", "embedded", "lexical")


class Task(StrEnum):
    """What a judge is asked about."""

    GROUNDING = "grounding"
    RELEVANCE = "relevance"
    #: Asked of no judge: said by the file, by match with the reference or by a rule, and compared with people alike.
    CORRECTNESS = "correctness"


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Name + task + model + revision + prompt hash + threshold. Any change makes another judge, uncalibrated."""

    name: str
    task: Task
    model: str = ""
    revision: str = ""
    prompt_hash: str = ""
    #: A score at or above this counts as supported (grounding) or is shown as relevant (relevance).
    threshold: float = 0.5

    @property
    def fingerprint(self) -> str:
        """Return 12 hex digits that change whenever any part of the identity does."""
        parts = (self.name, self.task, self.model, self.revision, self.prompt_hash, repr(self.threshold))
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]

    def at(self, threshold: float) -> JudgeIdentity:
        """Return the identity of the same judge at another threshold."""
        return replace(self, threshold=threshold)


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as a judge sees it. `text` is None where the file gave an id only."""

    key: str
    text: str | None


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim as a judge sees it, with what the file recorded about it (read by the recorded judge only)."""

    key: str
    text: str
    #: Recorded verdicts: (chunk key or None for "some chunk of the context", label or None, score or None).
    recorded: tuple[tuple[str | None, str | None, float | None], ...] = ()


@dataclass(frozen=True, slots=True)
class GroundingItem:
    """One answer's claims against the chunks of its context: the unit a grounding judge is given."""

    key: str
    question: str
    claims: tuple[ClaimText, ...]
    chunks: tuple[ChunkText, ...]


@dataclass(frozen=True, slots=True)
class RelevanceItem:
    """One answer against its question, with the relevance score the file recorded, if any."""

    key: str
    question: str
    answer: str
    recorded: float | None = None


@dataclass(frozen=True, slots=True)
class PairScore:
    """A judge's word on one claim and one chunk. `chunk` None = a verdict about the context as a whole.

    Exactly one of `score` and `error` is set, except that a recorded verdict may carry a label alone.
    `evidence` is the [start, end) span of the chunk, in code points, that the judge rests on.
    """

    claim: str
    chunk: str | None
    score: float | None = None
    label: Support | None = None
    error: str = ""
    evidence: tuple[int, int] | None = None
    #: The judge's own words, where it has some: kept to be shown, never parsed for numbers.
    raw: str = ""


@dataclass(frozen=True, slots=True)
class RelevanceScore:
    """A judge's word on one answer. Exactly one of `score` and `error` is set."""

    item: str
    score: float | None = None
    error: str = ""
    #: The judge's own words, where it has some.
    raw: str = ""


@runtime_checkable
class GroundingJudge(Protocol):
    """Scores claims against chunks. The result of an item never depends on the other items of the batch."""

    @property
    def identity(self) -> JudgeIdentity: ...

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Return one list per item, in order: every (claim, chunk) pair this judge has a word on.

        A pair it says nothing about is left out; a pair it failed on has `error` set.
        """
        ...


@runtime_checkable
class SkimmingJudge(GroundingJudge, Protocol):
    """A judge that picks, cheaply, which chunks of a claim it reads. `ground` = `skim`, then `read` what is left.

    The pick may depend on the claim's other chunks; a score may not. So a pair that is skimmed has no score.
    """

    def skim(self, item: GroundingItem) -> list[PairScore]:
        """Return the word, a label without a score, on every pair of the item that is not worth reading."""
        ...

    def read(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Return one list per item, in order: the word on every pair whose chunk has text."""
        ...


@runtime_checkable
class PaidJudge(Protocol):
    """A judge whose words cost something: it keeps to a budget for each run."""

    @property
    def identity(self) -> JudgeIdentity: ...

    def begin(self, spent: int) -> None:
        """Hear how many words the run has paid for already, before it is asked."""
        ...


@runtime_checkable
class RelevanceJudge(Protocol):
    """Scores answers against questions, one score or error per item, in order; None = no word on it."""

    @property
    def identity(self) -> JudgeIdentity: ...

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]: ...


def is_usable_score(value: float | None) -> bool:
    """Say whether a score is a finite number in [0, 1]."""
    return value is not None and 0.0 <= value <= 1.0  # a NaN is neither
