"""Scores of an answer that came with the file, and where they may stand in for ours.

An entry without a tool is in our own definitions: it is the recorded judge's word on the whole answer, and counts
where the claims carry no recorded verdict of their own. An entry with a tool stays beside ours; it stands in only
where ours cannot be computed and its definition tag is the one below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from triage.core.judging import is_usable_score
from triage.core.metrics import DecidingMetrics, Missing, QueryFacts, QueryMetrics

Measured = TypeVar("Measured", QueryMetrics, DecidingMetrics)

#: Metric -> the tag of our definition of it (docs/metrics.md section 2).
DEFINITIONS: dict[str, str] = {
    "context_precision": "gold_share_of_slots",
    "context_precision_at_ranks": "precision_at_each_hit",
    "context_recall": "distinct_gold_ids",
    "candidate_recall": "distinct_gold_ids_of_candidates",
    "faithfulness": "claims_single_chunk",
    "citation_precision": "citations_that_support",
    "citation_coverage": "claims_citing_context",
    "support_from_gold": "supported_claims_from_gold",
    "answer_relevance": "answer_to_question",
}

#: Reasons that mean "ours cannot be computed"; the others are facts about the query that no score can change.
_NOT_COMPUTABLE = frozenset(
    {Missing.NO_GOLD, Missing.JUDGE_ERROR, Missing.NOT_SCORED, Missing.UNKNOWN_RETRIEVAL, Missing.EMPTY_CONTEXT}
)


@dataclass(frozen=True, slots=True)
class RecordedScore:
    """One usable score of a file. `tool` blank = by our own definition."""

    metric: str
    value: float
    tool: str = ""
    definition: str = ""

    @property
    def may_stand_in(self) -> bool:
        """Say whether the score is of one of our metrics, by our definition."""
        ours = DEFINITIONS.get(self.metric)
        return ours is not None and (not self.tool or self.definition == ours)


def usable(entries: Iterable[Mapping[str, object]]) -> list[RecordedScore]:
    """Return the entries of a query's `scores` that are numbers in [0, 1] on that scale, ours first."""
    scores = [score for entry in entries if (score := _read(entry)) is not None]
    return sorted(scores, key=lambda score: bool(score.tool))


def _read(entry: Mapping[str, object]) -> RecordedScore | None:
    value = entry.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_usable_score(value):
        return None
    if entry.get("scale") not in (None, [0, 1]):
        return None
    texts = (str(entry.get(name) or "") for name in ("metric", "tool", "definition"))
    metric, tool, definition = texts
    return RecordedScore(metric, float(value), tool, definition)


def stand_in(
    facts: QueryFacts, metrics: Measured, scores: Iterable[RecordedScore], *, claims_recorded: bool
) -> tuple[QueryFacts, Measured]:
    """Return the facts and metrics with recorded scores where they count; `facts.recorded` names those metrics.

    Scores of metrics that were not measured are left alone.

    `claims_recorded`: the recorded judge spoke of the claims themselves, which goes before its word on the whole.
    """
    standing: dict[str, float] = {}
    for score in scores:
        if score.metric not in standing and score.may_stand_in and _counts(score, metrics, claims_recorded):
            standing[score.metric] = score.value
    if not standing:
        return facts, metrics
    return replace(facts, recorded=frozenset(standing)), replace(metrics, **standing)


def _counts(score: RecordedScore, metrics: QueryMetrics | DecidingMetrics, claims_recorded: bool) -> bool:
    ours = getattr(metrics, score.metric, None)
    if isinstance(ours, Missing):
        return ours in _NOT_COMPUTABLE
    return score.metric == "faithfulness" and not score.tool and not claims_recorded
