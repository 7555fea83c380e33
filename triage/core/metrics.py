"""Per-query metrics, by the definitions of docs/metrics.md: each is a value or a named reason why there is none.

`None`, NaN and 0 never stand in for each other: a metric is a finite float or a `Missing`. Nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from triage.core.correctness import SaidBy
from triage.core.judging import is_usable_score


class Missing(StrEnum):
    """Why a metric has no value. The words are stable: exports and `--json` print them."""

    EMPTY_CONTEXT = "empty_context"
    NO_GOLD = "no_gold"
    NOT_ANSWERABLE = "not_answerable"
    NO_CLAIMS = "no_claims"
    JUDGE_ERROR = "judge_error"
    NO_CITATIONS = "no_citations"
    NOT_SCORED = "not_scored"
    ABSTAINED = "abstained"
    MISSING = "missing"
    UNKNOWN_RETRIEVAL = "unknown_retrieval"
    NO_SUPPORTED_CLAIM = "no_supported_claim"


Metric = float | Missing


@dataclass(frozen=True, slots=True)
class CitationFacts:
    """One citation of one claim. Not in the context = fabricated; a whole document = unverifiable."""

    chunk: str
    in_context: bool
    whole_document: bool
    #: None: no judge has a usable word on this claim and chunk.
    supports: bool | None


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """One claim with what the judges decided about it."""

    key: str
    #: None: no judge gave a usable score (a judge error), which is not the same as unsupported.
    supported: bool | None
    #: Context chunks that support the claim, each on its own; empty when a judge spoke of the context as a whole.
    supporting: frozenset[str] = frozenset()
    cites: tuple[CitationFacts, ...] = ()
    #: A judge says that a chunk states the opposite.
    contradicted: bool = False


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """Everything the metrics and the classifier read about one query, already decided."""

    key: str
    answer: str | None
    answerable: bool
    #: See `correctness`. None = undecided.
    correct: bool | None
    #: Effective: see `effective_abstained`.
    abstained: bool
    #: All retrieved chunk keys in rank order; None = the file does not say, () = retrieved nothing.
    candidates: tuple[str, ...] | None
    #: The slots of the prompt in order; a duplicate takes a slot each time.
    context: tuple[str, ...] | None
    #: Context chunks whose text is blank: they take a slot and support nothing.
    blank: frozenset[str] = frozenset()
    #: None or empty = no gold is known.
    gold: frozenset[str] | None = None
    claims: tuple[ClaimFacts, ...] = ()
    #: The relevance judge's usable score, or None.
    relevance: float | None = None
    latency_ms: float | None = None
    context_tokens: float | None = None
    #: Context chunks that a newer chunk or document replaced.
    superseded: frozenset[str] = frozenset()
    #: Who says whether it is correct.
    correct_by: SaidBy = SaidBy.FILE
    #: Metrics whose value is a recorded score of the whole answer, see `recorded_scores`.
    recorded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class QueryMetrics:
    """One field per metric of docs/metrics.md section 2. Shares lie in [0, 1]; perfect is exactly 1.0."""

    context_precision: Metric
    context_precision_at_ranks: Metric
    context_recall: Metric
    candidate_recall: Metric
    faithfulness: Metric
    citation_precision: Metric
    citation_coverage: Metric
    support_from_gold: Metric
    answer_relevance: Metric
    latency_ms: Metric
    context_tokens: Metric
    tokens_per_chunk: Metric


@dataclass(frozen=True, slots=True)
class DecidingMetrics:
    """The three metrics the classifier asks for, without the others: all that a look at other thresholds needs."""

    context_recall: Metric
    faithfulness: Metric
    answer_relevance: Metric


def effective_abstained(answer: str | None, recorded: bool | None, *, by_pattern: bool) -> bool:
    """Say whether the answer declines: it does when there is none; else the file's word, else the patterns'."""
    if answer is None or not answer.strip():
        return True
    return by_pattern if recorded is None else recorded


def value_of(metric: Metric) -> float | None:
    """Return the finite value of a metric, or None; a NaN is no value either."""
    # A `Missing` is the only text here; asking for the enumeration takes several times as long, and a run asks often.
    if isinstance(metric, str) or not math.isfinite(metric):
        return None
    return metric


def is_supported(claim: ClaimFacts, facts: QueryFacts) -> bool | None:
    """Say whether at least one single context chunk supports the claim; None = no usable score.

    An empty or all-blank context supports nothing, whatever a judge says.
    """
    if facts.context is not None and facts.blank.issuperset(facts.context):
        return False
    if claim.supported and claim.supporting and claim.supporting <= facts.blank:
        return False
    return claim.supported


def is_covered(claim: ClaimFacts) -> bool:
    """Say whether the claim cites at least one chunk of the context; dangling citations do not count."""
    return bool(claim.cites) and any(cite.in_context and not cite.whole_document for cite in claim.cites)


def gold_hits(slots: Iterable[str], gold: frozenset[str]) -> int:
    """Count the distinct gold chunks among `slots`."""
    return len(gold.intersection(slots))


def measure(facts: QueryFacts) -> QueryMetrics:
    """Compute every metric of one query."""
    supported = [is_supported(claim, facts) for claim in facts.claims]
    return QueryMetrics(
        context_precision=_precision(facts),
        context_precision_at_ranks=_precision_at_ranks(facts),
        context_recall=_recall(facts, facts.context),
        candidate_recall=_recall(facts, facts.candidates),
        faithfulness=_faithfulness(supported),
        citation_precision=_citation_precision(facts),
        citation_coverage=_citation_coverage(facts),
        support_from_gold=_support_from_gold(facts, supported),
        answer_relevance=_answer_relevance(facts),
        latency_ms=_amount(facts.latency_ms),
        context_tokens=_amount(facts.context_tokens),
        tokens_per_chunk=_tokens_per_chunk(facts),
    )


def measure_deciding(facts: QueryFacts) -> DecidingMetrics:
    """Compute the metrics that decide on one query's class, as `measure` does."""
    return DecidingMetrics(
        context_recall=_recall(facts, facts.context),
        faithfulness=_faithfulness([is_supported(claim, facts) for claim in facts.claims]),
        answer_relevance=_answer_relevance(facts),
    )


def _context_and_gold(facts: QueryFacts) -> tuple[tuple[str, ...], frozenset[str]] | Missing:
    if facts.context is None:
        return Missing.UNKNOWN_RETRIEVAL
    if not facts.context:
        return Missing.EMPTY_CONTEXT
    if not facts.gold:
        return Missing.NO_GOLD
    return facts.context, facts.gold


def _precision(facts: QueryFacts) -> Metric:
    pair = _context_and_gold(facts)
    if isinstance(pair, str):
        return pair
    slots, gold = pair
    return sum([key in gold for key in slots]) / len(slots)


def _precision_at_ranks(facts: QueryFacts) -> Metric:
    """Mean over the hits of (hits so far / position): an average precision cut at the context."""
    pair = _context_and_gold(facts)
    if isinstance(pair, str):
        return pair
    slots, gold = pair
    positions = [position for position, key in enumerate(slots, start=1) if key in gold]
    if not positions:
        return 0.0
    return math.fsum(hits / position for hits, position in enumerate(positions, start=1)) / len(positions)


def _recall(facts: QueryFacts, slots: tuple[str, ...] | None) -> Metric:
    if not facts.answerable:
        return Missing.NOT_ANSWERABLE
    if not facts.gold:
        return Missing.NO_GOLD
    if slots is None:
        return Missing.UNKNOWN_RETRIEVAL
    return gold_hits(slots, facts.gold) / len(facts.gold)


def _faithfulness(supported: list[bool | None]) -> Metric:
    if not supported:
        return Missing.NO_CLAIMS
    if None in supported:
        return Missing.JUDGE_ERROR
    return supported.count(True) / len(supported)


def _citation_precision(facts: QueryFacts) -> Metric:
    """Share of citations that support their claim; fabricated and unverifiable ones stay in the denominator."""
    words = [_citation_supports(cite, facts) for claim in facts.claims for cite in claim.cites]
    if not words:
        return Missing.NO_CITATIONS
    if None in words:
        return Missing.JUDGE_ERROR
    return words.count(True) / len(words)


def _citation_supports(cite: CitationFacts, facts: QueryFacts) -> bool | None:
    if cite.whole_document or not cite.in_context or cite.chunk in facts.blank:
        return False
    return cite.supports


def _citation_coverage(facts: QueryFacts) -> Metric:
    if not facts.claims:
        return Missing.NO_CLAIMS
    return sum([is_covered(claim) for claim in facts.claims]) / len(facts.claims)


def _support_from_gold(facts: QueryFacts, supported: list[bool | None]) -> Metric:
    """Share of supported claims that a gold chunk supports; low = the answer was drawn from elsewhere."""
    if not facts.gold:
        return Missing.NO_GOLD
    if None in supported:
        return Missing.JUDGE_ERROR
    standing = [claim for claim, holds in zip(facts.claims, supported, strict=True) if holds]
    if not standing:
        return Missing.NO_SUPPORTED_CLAIM
    if any(not claim.supporting for claim in standing):
        return Missing.NOT_SCORED  # judged against the context as a whole: by which chunk is not known
    gold = facts.gold - facts.blank
    return sum([not gold.isdisjoint(claim.supporting) for claim in standing]) / len(standing)


def _answer_relevance(facts: QueryFacts) -> Metric:
    if facts.abstained:
        return Missing.ABSTAINED
    if facts.relevance is None or not is_usable_score(facts.relevance):
        return Missing.NOT_SCORED
    return float(facts.relevance)


def _amount(value: float | None) -> Metric:
    if value is None or not math.isfinite(value) or value < 0:
        return Missing.MISSING
    return float(value)


def _tokens_per_chunk(facts: QueryFacts) -> Metric:
    tokens = _amount(facts.context_tokens)
    if isinstance(tokens, str):
        return tokens
    if facts.context is None:
        return Missing.UNKNOWN_RETRIEVAL
    return tokens / len(facts.context) if facts.context else Missing.EMPTY_CONTEXT
