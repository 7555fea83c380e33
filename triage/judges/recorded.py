"""The recorded judge: verdicts and scores that came with the file. It computes nothing.

A verdict may carry a label, a score, or both. A score outside [0, 1] or not finite is no word (the import has
flagged it and kept it raw), so the next judge of the project is asked. Where label and score disagree both are
handed on; the label wins wherever support is decided (docs/metrics.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from triage.core.judging import (
    ClaimText,
    GroundingItem,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceScore,
    Task,
    is_usable_score,
)
from triage.core.labels import Support

NAME = "recorded"
#: A recorded score at or above this counts as supported where the file gave no label.
THRESHOLD = 0.5

_LABELS = {label.value: label for label in Support}


class RecordedGrounding:
    """Hands on what the file says of a claim and a chunk, or of a claim and its whole context."""

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is; it never changes."""
        return JudgeIdentity(NAME, Task.GROUNDING, threshold=THRESHOLD)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Return the usable recorded verdicts, the first for each claim and chunk; other chunks' are left out."""
        return [_words_on(item) for item in items]


class RecordedRelevance:
    """Hands on the relevance score of the file."""

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is; it never changes."""
        return JudgeIdentity(NAME, Task.RELEVANCE, threshold=THRESHOLD)

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]:
        """Return the usable recorded score of each answer, or None."""
        return [
            RelevanceScore(item.key, score=float(item.recorded))
            if item.recorded is not None and is_usable_score(item.recorded)
            else None
            for item in items
        ]


def _words_on(item: GroundingItem) -> list[PairScore]:
    known: set[str | None] = {chunk.key for chunk in item.chunks} | {None}
    said: dict[tuple[str, str | None], PairScore] = {}
    for claim in item.claims:
        for word in _verdicts(claim):
            if word.chunk in known:
                said.setdefault((word.claim, word.chunk), word)
    return list(said.values())


def _verdicts(claim: ClaimText) -> list[PairScore]:
    words = []
    for chunk, label, score in claim.recorded:
        support = _LABELS.get(label or "")
        value = float(score) if score is not None and is_usable_score(score) else None
        if support is not None or value is not None:
            words.append(PairScore(claim.key, chunk, score=value, label=support))
    return words
