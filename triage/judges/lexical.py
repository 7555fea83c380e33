"""The lexical judge: word overlap, no model. Cheap, honest, and easily fooled.

**Grounding.** How much of the claim's content words and numbers stand in the chunk and in its best sentence, with
penalties for numbers and names the chunk lacks and for a "not" on one side only, put through a logistic curve.
**Relevance.** How much of the question's content words, and of their neighbourhoods, the answer takes up.

What it cannot do: it knows no synonyms and no paraphrase, passes a claim that recombines the chunk's words, hardly
sees contradictions, and reads English (other languages are compared by whole words). An answer of a few words
("Paris") shares nothing with its question by nature and gets `SHORT_ANSWER_SCORE`.

The weights and thresholds were fitted on human-labelled train and dev splits by `benchmarks/judge/lexical.py`,
which prints them with their figures on the test splits; see docs/judges.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from triage.core.judging import (
    GroundingItem,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceScore,
    Task,
)
from triage.core.sentences import sentences
from triage.judges.words import Words, merged, read

NAME = "lexical"
#: Part of the identity: any change of words, weights or thresholds is another judge.
REVISION = "2"

#: Weights of the grounding features in the order of `grounding_features`, then the constant.
GROUNDING_WEIGHTS = (4.3, 1.11, -1.08, -0.12, 0.71, -0.84)
GROUNDING_CONSTANT = -4.45
GROUNDING_THRESHOLD = 0.44
#: Weights of the relevance features (words, pairs) and the constant.
RELEVANCE_WEIGHTS = (5.17, 0.79)
RELEVANCE_CONSTANT = -0.46
#: The score that best parts own answers from a neighbour's on the dev half; the classifier's default as well.
RELEVANCE_THRESHOLD = 0.70
#: An answer of at most this many content words cannot be rated by overlap.
SHORT_ANSWER_WORDS = 2
SHORT_ANSWER_SCORE = 0.75

#: Longer claims, questions and chunks are read to here only: bounds the work on one pair.
MAX_CLAIM_CHARS = 5_000
MAX_CHUNK_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as read: its words, and each sentence's words with its span."""

    words: Words
    sentences: tuple[tuple[Words, tuple[int, int]], ...]


@lru_cache(maxsize=2_048)
def read_passage(text: str) -> Passage:
    """Read a chunk once for all the claims that are held against it."""
    text = text[:MAX_CHUNK_CHARS]
    parts = tuple((read(text[start:end]), (start, end)) for start, end in sentences(text))
    return Passage(merged([words for words, _ in parts]), parts)


@lru_cache(maxsize=4_096)
def read_claim(text: str) -> Words:
    """Read a claim once for all the chunks it is held against."""
    return read(text[:MAX_CLAIM_CHARS])


def grounding_features(claim: Words, passage: Passage) -> tuple[tuple[float, ...], tuple[int, int] | None]:
    """Return the features of a pair and the span of the sentence that shares most with the claim.

    Features: coverage by the chunk, coverage by its best sentence, numbers missing (at most 2), share of names
    missing, share of neighbouring word pairs found, a negation on one side only. No shared word: span None.
    """
    wanted = claim.all
    total = max(1, len(wanted))
    best, span, shared = passage.words, None, 0
    for words, place in passage.sentences:
        overlap = len(wanted & words.all)
        if overlap > shared:
            best, span, shared = words, place, overlap
    names_missing = len(claim.names - passage.words.all) / len(claim.names) if claim.names else 0.0
    features = (
        len(wanted & passage.words.all) / total,
        shared / total,
        float(min(2, len(claim.numbers - passage.words.numbers))),
        names_missing,
        len(claim.pairs & passage.words.pairs) / max(1, len(claim.pairs)),
        float((claim.negations > 0) != (best.negations > 0)),
    )
    return features, span


def relevance_features(question: Words, answer: Words) -> tuple[float, float]:
    """Return the shares of the question's words and of its neighbouring word pairs that the answer takes up."""
    words = len(question.all & answer.all) / max(1, len(question.all))
    return words, len(question.pairs & answer.pairs) / max(1, len(question.pairs))


def curve(features: Sequence[float], weights: Sequence[float], constant: float) -> float:
    """Return the logistic curve at the weighted sum: a score in (0, 1)."""
    total = math.fsum(value * weight for value, weight in zip(features, weights, strict=True)) + constant
    return 1.0 / (1.0 + math.exp(-total))


class LexicalGrounding:
    """Scores a claim against a chunk by shared words."""

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is."""
        return JudgeIdentity(NAME, Task.GROUNDING, revision=REVISION, threshold=GROUNDING_THRESHOLD)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Score every claim against every chunk that has text; a chunk without text is left out."""
        return [_ground(item) for item in items]


class LexicalRelevance:
    """Scores an answer against its question by shared words."""

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is."""
        return JudgeIdentity(NAME, Task.RELEVANCE, revision=REVISION, threshold=RELEVANCE_THRESHOLD)

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]:
        """Score every answer; a blank question or answer gets no word."""
        return [_rate(item) for item in items]


def _ground(item: GroundingItem) -> list[PairScore]:
    scores = []
    for claim in item.claims:
        wanted = read_claim(claim.text)
        for chunk in item.chunks:
            if chunk.text is None or not chunk.text.strip():
                continue
            features, span = grounding_features(wanted, read_passage(chunk.text))
            score = curve(features, GROUNDING_WEIGHTS, GROUNDING_CONSTANT) if wanted.all else 0.0
            scores.append(PairScore(claim.key, chunk.key, score=score, evidence=span))
    return scores


def _rate(item: RelevanceItem) -> RelevanceScore | None:
    if not item.question.strip() or not item.answer.strip():
        return None
    question, answer = read_claim(item.question), read_claim(item.answer)
    if not question.all:
        return None
    if 0 < len(answer.all) <= SHORT_ANSWER_WORDS:
        return RelevanceScore(item.key, score=SHORT_ANSWER_SCORE)
    features = relevance_features(question, answer)
    return RelevanceScore(item.key, score=curve(features, RELEVANCE_WEIGHTS, RELEVANCE_CONSTANT))
