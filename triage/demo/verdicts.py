"""What the recorded judge said of the claims: labels from the story, scores around them, a look at a runner-up."""

from __future__ import annotations

from typing import Any

from triage.demo.markup import MarkedClaim
from triage.demo.noise import normal, unit
from triage.demo.ranking import Index

JUDGE = "claim-judge-a"
RELEVANCE_JUDGE = "relevance-judge-a"
#: Label -> the score it is drawn around, its spread, and the range it stays in.
_AROUND = {
    "supported": (0.95, 0.07, 0.55, 0.995),
    "unsupported": (0.08, 0.13, 0.01, 0.43),
    "contradicted": (0.03, 0.04, 0.01, 0.2),
    "unsure": (0.48, 0.04, 0.4, 0.56),
}
#: How often a supported claim was also compared with a chunk that has nothing to do with it.
_RUNNER_UP = 0.45


def verdicts(index: Index, arm: str, query: str, claim: MarkedClaim, context: list[str]) -> list[dict[str, Any]]:
    """Return the recorded verdicts on one claim; a claim without any context is judged as a whole."""
    if not context:
        return [_verdict(arm, query, claim, None, claim.label, claim.score)]
    asked = [chunk for chunk in claim.chunks if chunk in context]
    if claim.label == "supported" and not asked:
        raise ValueError(f"{arm} {query}: no chunk behind {claim.text!r} is in the context {context}")
    others = [chunk for chunk in index.nearest(claim.text, set(context)) if chunk not in asked]
    if not asked:
        asked, others = others[:2], others[2:]
    said = [_verdict(arm, query, claim, chunk, claim.label, claim.score) for chunk in asked]
    beside = [chunk for chunk in claim.cites if chunk in context and chunk not in asked]
    if not beside and claim.label == "supported" and others and unit("runner-up", arm, query, claim.text) < _RUNNER_UP:
        beside = others[:1]
    return said + [_verdict(arm, query, claim, chunk, "unsupported", None) for chunk in beside]


def _verdict(
    arm: str, query: str, claim: MarkedClaim, chunk: str | None, label: str, score: float | None
) -> dict[str, Any]:
    drawn = _draw(label, "claim", arm, query, claim.text, chunk or "")
    return {"chunk": chunk, "label": label, "score": drawn if score is None else score, "judge": JUDGE}


def _draw(label: str, *of: str) -> float:
    middle, spread, low, high = _AROUND[label]
    side = abs(normal(*of)) * spread
    return round(min(high, max(low, middle - side if label == "supported" else middle + side)), 3)


def relevance(arm: str, query: str) -> float:
    """Return the relevance score of an answer that is to the point."""
    return round(min(0.99, max(0.76, 0.95 - 0.06 * abs(normal("relevance", arm, query)))), 2)
