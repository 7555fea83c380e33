"""Sub-causes the machine may propose: only where the facts of the query speak for one; a reviewer sets them."""

from __future__ import annotations

from collections.abc import Callable

from triage.core.labels import FailureLabel
from triage.core.metrics import ClaimFacts, QueryFacts, QueryMetrics, is_supported, value_of


def propose_sub_cause(label: str, facts: QueryFacts, metrics: QueryMetrics) -> str:
    """Return a sub-cause of `label` with evidence in the facts, or the empty string."""
    propose = _BY_LABEL.get(label)
    return propose(facts, metrics) if propose else ""


def _of_retrieval_miss(facts: QueryFacts, metrics: QueryMetrics) -> str:
    """Declined for want of evidence; else where most of the missing gold was lost (a tie: unreachable)."""
    if facts.abstained:
        return "abstained_rightly"
    if facts.candidates is None or not facts.gold:
        return ""
    lost = facts.gold.difference(facts.context or ())
    unreachable = lost.difference(facts.candidates)
    return "unreachable" if 2 * len(unreachable) >= len(lost) else "ranked_out"


def _of_unsupported_claims(facts: QueryFacts, metrics: QueryMetrics) -> str:
    if not facts.answerable:
        return "should_have_abstained"
    unsupported = [claim for claim in facts.claims if is_supported(claim, facts) is False]
    if any(claim.contradicted for claim in unsupported):
        return "contradicts_evidence"
    return "fabricated_citation" if any(_cites_nothing_retrieved(claim) for claim in unsupported) else ""


def _cites_nothing_retrieved(claim: ClaimFacts) -> bool:
    return any(not cite.in_context and not cite.whole_document for cite in claim.cites)


def _of_grounded_wrong_question(facts: QueryFacts, metrics: QueryMetrics) -> str:
    return "" if facts.answerable else "should_have_abstained"


def _of_still_wrong(facts: QueryFacts, metrics: QueryMetrics) -> str:
    """Declined though the evidence was there; answered what nothing answers; else what the answer rests on."""
    if facts.abstained:
        return "over_abstention" if facts.answerable else ""
    if not facts.answerable:
        return "should_have_abstained"
    if any(claim.supporting and claim.supporting <= facts.superseded for claim in facts.claims):
        return "superseded_document"
    # Gold is in the context (test 1 passed) and no supported claim rests on it.
    return "buried_evidence" if value_of(metrics.support_from_gold) == 0.0 else ""


_BY_LABEL: dict[str, Callable[[QueryFacts, QueryMetrics], str]] = {
    FailureLabel.RETRIEVAL_MISS: _of_retrieval_miss,
    FailureLabel.UNSUPPORTED_CLAIMS: _of_unsupported_claims,
    FailureLabel.GROUNDED_WRONG_QUESTION: _of_grounded_wrong_question,
    FailureLabel.STILL_WRONG: _of_still_wrong,
}
