"""What a retriever's own scores say before anybody judges the answer.

Scores are of any scale. They are compared with each other, never read as probabilities; only a score that lies in
[0, 1] like all others beside it is called weak by a fixed line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: A best chunk below this is said to be weak, where the scores lie in [0, 1] and no line was learned from a run.
WEAK_RETRIEVAL = 0.5


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
    known = [score for score in scores if score is not None and math.isfinite(score)]
    if len(known) < sum(score is not None for score in scores) or not known:
        return RetrievalConfidence(None, "")
    if caveat_below is None and not all(0 <= score <= 1 for score in known):
        return RetrievalConfidence(None, "")
    best, line = max(known), WEAK_RETRIEVAL if caveat_below is None else caveat_below
    return RetrievalConfidence(best, f"Retrieval was weak: the best passage scores {best:.2f}." if best < line else "")
