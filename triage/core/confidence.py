"""What a retriever's own scores say before anybody judges the answer: best score, margin, disagreement.

Scores are of any scale. They are compared with each other, never read as probabilities; only a score that lies in
[0, 1] like all others beside it is called weak by a fixed line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: A best chunk below this is said to be weak, where the scores lie in [0, 1] and no line was learned from a run.
WEAK_RETRIEVAL = 0.5
#: Retriever and reranker are compared on their first so many candidates.
COMPARED = 5


@dataclass(frozen=True, slots=True)
class Signals:
    """The scores of one query in three numbers; None where the scores do not give one."""

    #: The best score.
    top: float | None
    #: The best score minus the next best.
    margin: float | None
    #: Share of the retriever's first five that are not among the reranker's first five.
    disagreement: float | None


def signals(scores: Sequence[float | None], rerank_scores: Sequence[float | None] = ()) -> Signals:
    """Return the signals of one query's candidates; scores in rank order, one place each, None = no score.

    Top and margin are of the reranker's scores where it gave any: those decided what entered the prompt.
    """
    first, second = _known(scores), _known(rerank_scores)
    deciding = sorted((score for _, score in second or first), reverse=True)
    return Signals(
        top=deciding[0] if deciding else None,
        margin=deciding[0] - deciding[1] if len(deciding) > 1 else None,
        disagreement=_disagreement(first, second),
    )


def _known(scores: Sequence[float | None]) -> list[tuple[int, float]]:
    return [(place, score) for place, score in enumerate(scores) if score is not None and math.isfinite(score)]


def _disagreement(first: list[tuple[int, float]], second: list[tuple[int, float]]) -> float | None:
    """Compare the first places of both orders over the candidates that carry both scores; ties keep rank order."""
    both = {place for place, _ in first} & {place for place, _ in second}
    if len(both) <= COMPARED:
        return None
    kept = [
        {place for place, _ in sorted((row for row in rows if row[0] in both), key=lambda row: -row[1])[:COMPARED]}
        for rows in (first, second)
    ]
    return len(kept[0] - kept[1]) / COMPARED


@dataclass(frozen=True, slots=True)
class RetrievalConfidence:
    """How sure the retriever was of what it brought; `value` None = its scores have no scale that says so."""

    value: float | None
    #: A sentence for whoever reads the answer; blank = nothing to add.
    caveat: str


def retrieval_confidence(scores: Sequence[float | None], caveat_below: float | None = None) -> RetrievalConfidence:
    """Return the best score with a caveat where it lies below the line.

    `caveat_below`: the line a run taught (`confidence RUN` suggests one); then any scale is fine. Without it the
    best score counts only where all scores lie in [0, 1], against 0.5.
    """
    known = [score for _, score in _known(scores)]
    if len(known) < sum(score is not None for score in scores) or not known:
        return RetrievalConfidence(None, "")
    if caveat_below is None and not all(0 <= score <= 1 for score in known):
        return RetrievalConfidence(None, "")
    best, line = max(known), WEAK_RETRIEVAL if caveat_below is None else caveat_below
    return RetrievalConfidence(best, f"Retrieval was weak: the best passage scores {best:.2f}." if best < line else "")
