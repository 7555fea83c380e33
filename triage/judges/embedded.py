"""The embedded judge: a small cross-encoder that ships with the product. No network, no hub, one CPU thread.

**Grounding.** The lexical judge skims first: of every claim's chunks it picks those worth reading (`pick`). A
picked chunk is read in windows; the score is the best window's, the evidence that window's closest sentence. A chunk
that was not picked gets the label `unsupported` and no score: nothing was measured, so no number is made up.
**Relevance.** The same weights on (question, answer): an answer that states what was asked scores high.

What it cannot do: it does not see contradictions (a refuting chunk scores like a supporting one), reads English
only, and is near chance on hard summaries. Data, licences and figures: docs/judges.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from triage.core.judging import (
    ChunkText,
    ClaimText,
    GroundingItem,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceScore,
    Task,
)
from triage.core.labels import Support
from triage.judges import lexical
from triage.judges.cross_encoder import WEIGHTS, CrossEncoder, revision_of, shared_encoder
from triage.judges.windows import Window, picked
from triage.judges.words import Words

NAME = "embedded"
MODEL = "grounding-ce-l12-int8"
GROUNDING_THRESHOLD = 0.31
RELEVANCE_THRESHOLD = 0.70
#: Relevance = logistic curve of slope * logit + shift; fitted by benchmarks/judge/embedded.py.
RELEVANCE_SLOPE = 2.03
RELEVANCE_SHIFT = 6.1

#: Chunks of one claim that are always read, those that may be, and the lexical score the latter need.
ALWAYS_READ = 3
READ_AT_MOST = 6
WORTH_READING = 0.05
#: A window with this score settles its chunk: no further one is read.
SURE = 0.9


def pick(claim: ClaimText, chunks: Sequence[ChunkText]) -> frozenset[str]:
    """Return the keys of the chunks the model reads for a claim: a function of the claim and the set of chunks."""
    wanted = lexical.read_claim(claim.text)
    scored = sorted((-_overlap(wanted, chunk.text or ""), chunk.text or "", chunk.key) for chunk in chunks)
    return frozenset(
        key
        for place, (overlap, _, key) in enumerate(scored[:READ_AT_MOST])
        if place < ALWAYS_READ or -overlap >= WORTH_READING
    )


def _overlap(claim: Words, text: str) -> float:
    features, _ = lexical.grounding_features(claim, lexical.read_passage(text))
    return lexical.curve(features, lexical.GROUNDING_WEIGHTS, lexical.GROUNDING_CONSTANT)


class EmbeddedGrounding:
    """Scores a claim against the chunks worth reading. Raises ModelFaultError when the weights are not whole."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        """Take the folder of the weights; they are loaded when a pair is first read."""
        self._folder = folder
        self._revision = revision_of(folder)

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is: the weights are part of it."""
        return JudgeIdentity(NAME, Task.GROUNDING, MODEL, self._revision, threshold=GROUNDING_THRESHOLD)

    def skim(self, item: GroundingItem) -> list[PairScore]:
        """Return the words on the pairs the model will not read: unsupported, without a score."""
        readable = _readable(item.chunks)
        return [
            PairScore(claim.key, chunk.key, label=Support.UNSUPPORTED)
            for claim in item.claims
            if len(readable) > ALWAYS_READ
            for chunk in _not_in(readable, pick(claim, readable))
        ]

    def read(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Read every pair of these items whose chunk has text."""
        model = shared_encoder(self._folder)
        return [
            [_read_pair(model, claim, chunk) for claim in item.claims for chunk in _readable(item.chunks)]
            for item in items
        ]

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Skim and read these items."""
        return [self._ground(item) for item in items]

    def _ground(self, item: GroundingItem) -> list[PairScore]:
        words = self.skim(item)
        skimmed = {(word.claim, word.chunk) for word in words}
        for claim in item.claims:
            chunks = tuple(chunk for chunk in item.chunks if (claim.key, chunk.key) not in skimmed)
            words += self.read([replace(item, claims=(claim,), chunks=chunks)])[0]
        return words


class EmbeddedRelevance:
    """Scores an answer against its question. Raises ModelFaultError when the weights are not whole."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        """Take the folder of the weights; they are loaded when an answer is first read."""
        self._folder = folder
        self._revision = revision_of(folder)

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is: the weights are part of it."""
        return JudgeIdentity(NAME, Task.RELEVANCE, MODEL, self._revision, threshold=RELEVANCE_THRESHOLD)

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]:
        """Score every answer that has text, where the question has some."""
        return [self._rate(item) for item in items]

    def _rate(self, item: RelevanceItem) -> RelevanceScore | None:
        if not item.question.strip() or not item.answer.strip():
            return None
        model, asked = shared_encoder(self._folder), lexical.read_claim(item.question)
        best = max(
            (model.logit(item.question, item.answer[w.start : w.end]) for w in picked(item.answer, asked)),
            default=None,
        )
        return None if best is None else RelevanceScore(item.key, score=relevance_of(best))


def relevance_of(logit: float) -> float:
    """Return the relevance that the model's word on (question, answer) stands for."""
    return sigmoid(RELEVANCE_SLOPE * logit + RELEVANCE_SHIFT)


def sigmoid(value: float) -> float:
    """Return 1 / (1 + e^-value) without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    power = math.exp(value)
    return power / (1.0 + power)


def _readable(chunks: Sequence[ChunkText]) -> tuple[ChunkText, ...]:
    """Return the chunks with text, each key once."""
    return tuple({chunk.key: chunk for chunk in chunks if chunk.text and chunk.text.strip()}.values())


def _not_in(chunks: Sequence[ChunkText], keys: frozenset[str]) -> list[ChunkText]:
    return [chunk for chunk in chunks if chunk.key not in keys]


def _read_pair(model: CrossEncoder, claim: ClaimText, chunk: ChunkText) -> PairScore:
    """Return the best window's score, with its closest sentence as the evidence."""
    text, wanted = chunk.text or "", lexical.read_claim(claim.text)
    best: tuple[float, Window] | None = None
    for window in picked(text, wanted):
        logit = model.logit(claim.text, text[window.start : window.end])
        if best is None or logit > best[0]:
            best = (logit, window)
        if sigmoid(best[0]) >= SURE:
            break
    if best is None:
        return PairScore(claim.key, chunk.key, label=Support.UNSUPPORTED)
    return PairScore(claim.key, chunk.key, score=sigmoid(best[0]), evidence=best[1].best_sentence(wanted))
