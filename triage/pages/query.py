"""The manifest of a query: what was asked, retrieved, answered and claimed, and why it was filed where it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from triage.core.correctness import SaidBy
from triage.core.policy import Policy
from triage.core.reference import match
from triage.core.review import VerdictLine, first_answer
from triage.models import Claim, GoldRevision, Judge, Query, QueryMetrics, Score, Suggestion
from triage.pages.answer import AnswerPiece, answer_pieces
from triage.pages.manifest import ClaimWords, Manifest, read_manifest
from triage.pages.slots import ChunkLine, absent, slot_lines
from triage.pages.sources import SourceCheck, source_check
from triage.pages.words import CORRECT_BY, FLAG_WORDS, MATCH_WORDS, METRIC_NAMES
from triage.signals import history_wanted

#: Metrics of a query in the order they are read; `place` in words comes from the manifest.
SHOWN = (
    "context_recall",
    "context_precision",
    "context_precision_at_ranks",
    "candidate_recall",
    "faithfulness",
    "support_from_gold",
    "answer_relevance",
    "citation_precision",
    "citation_coverage",
)


@dataclass(frozen=True, slots=True)
class Said:
    """The best word of one judge on one claim: the chunk it rests on and the score there."""

    judge: str
    supports: bool | None
    score: float | None
    threshold: float
    #: Rank of the chunk; 0 = the context as a whole, or a chunk that was not retrieved.
    rank: int
    error: str


@dataclass(frozen=True, slots=True)
class CiteLine:
    """One citation of a claim."""

    cited: str
    #: Rank in the context, 0 = not there.
    rank: int
    state: str
    tone: str


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim with what each judge says, the deciding one first."""

    number: int
    text: str
    tone: str
    state: str
    said: tuple[Said, ...]
    cites: tuple[CiteLine, ...]
    #: Set where only summaries support it.
    sources: SourceCheck | None = None


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One metric of this query: a number, or the reason why there is none."""

    name: str
    value: float | str


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """One score that came with the file."""

    metric: str
    value: float | None
    source: str
    is_usable: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """The answer beside its reference, where the machine says by their match whether it is correct."""

    kind: str
    f1: float
    #: From this F1 up it counts as correct.
    threshold: float
    words: str


@dataclass(frozen=True, slots=True)
class QueryPage:
    """Everything the query page prints."""

    query: Query
    #: Empty where there is no answer.
    answer: tuple[AnswerPiece, ...]
    outcome: str
    tone: str
    #: Who says so.
    by: str
    flags: tuple[str, ...]
    reference: str | None
    #: None: the file or a rule decides, or nobody does.
    compared: Compared | None
    suggestion: Suggestion | None
    #: Names of the judges whose words the suggestion rests on.
    judges: tuple[str, ...]
    earlier_suggestions: tuple[Suggestion, ...]
    margins: tuple[MetricValue, ...]
    metrics: tuple[MetricValue, ...]
    context: tuple[ChunkLine, ...]
    beyond: tuple[ChunkLine, ...]
    unreachable: tuple[ChunkLine, ...]
    gold_known: bool
    gold_version: int
    claims: tuple[ClaimLine, ...]
    #: How the claims were cut, where a model was asked to; blank otherwise.
    cut: str
    recorded: tuple[RecordedLine, ...]
    #: None: this person must give a verdict before they may read others'.
    verdicts: tuple[VerdictLine, ...] | None
    previous: int | None
    next: int | None


def query_page(query: Query, user_id: int) -> QueryPage:
    """Read the manifest of one query for this person: a fixed number of SQL queries."""
    revision = GoldRevision.objects.current(query.run).get(query.key)
    gold = frozenset((revision.gold if revision else query.gold) or ())
    manifest = read_manifest(query, gold)
    ranks = {slot.chunk.key: slot.rank for slot in reversed(manifest.slots)}
    claims = tuple(_claim(number, claim, manifest, ranks) for number, claim in enumerate(manifest.claims, 1))
    slots = slot_lines(manifest, gold, _supports(claims))
    unreachable = tuple(absent(key, manifest) for key in sorted(gold - ranks.keys()))
    suggestions = list(Suggestion.objects.filter(query=query).order_by("-is_current", "-pk"))
    current = suggestions[0] if suggestions and suggestions[0].is_current else None
    outcome, tone = {True: ("Correct", "ok"), False: ("Failing", "bad"), None: ("Undecided", "open")}[query.correct]
    reference = query.reference if revision is None or revision.reference is None else revision.reference
    margins = sorted((current.margins if current else {}).items())
    return QueryPage(
        query=query,
        answer=answer_pieces(query.answer or "", manifest.slots),
        outcome=outcome,
        tone=tone,
        by=CORRECT_BY[query.correct_by],
        flags=tuple(FLAG_WORDS.get(flag, flag) for flag in query.flags),
        reference=reference,
        compared=_compared(query, reference),
        suggestion=current,
        judges=_judges_of(current),
        earlier_suggestions=tuple(suggestion for suggestion in suggestions if not suggestion.is_current),
        margins=tuple(MetricValue(METRIC_NAMES[name], value) for name, value in margins),
        metrics=_metrics(QueryMetrics.objects.filter(query=query).first()),
        context=tuple(slot for slot in slots if slot.in_context),
        beyond=tuple(slot for slot in slots if not slot.in_context),
        unreachable=unreachable,
        gold_known=bool(gold),
        gold_version=revision.version if revision else 1,
        claims=claims,
        cut=_cut(manifest.claims),
        recorded=_recorded(query.scores),
        verdicts=_history(query, user_id),
        previous=manifest.previous,
        next=manifest.next,
    )


def _judges_of(suggestion: Suggestion | None) -> tuple[str, ...]:
    if suggestion is None:
        return ()
    return tuple(Judge.objects.filter(fingerprint__in=suggestion.judges).values_list("name", flat=True).distinct())


def _history(query: Query, user_id: int) -> tuple[VerdictLine, ...] | None:
    """Ask the human's half for what people said; None = this person may not read it yet."""
    asked = history_wanted.send(sender=Query, query_id=query.pk, user_id=user_id)
    history: list[VerdictLine] | None = first_answer(asked, list)
    return None if history is None else tuple(history)


def _compared(query: Query, reference: str | None) -> Compared | None:
    """Match the answer again under the policy the run was classified by: the same words, the same result."""
    found = match(query.answer, reference) if query.correct_by == SaidBy.MATCH else None
    if found is None:
        return None
    threshold = Policy.model_validate(query.run.summary.get("policy") or {}).match_token_f1
    return Compared(str(found.kind), found.f1, threshold, MATCH_WORDS[found.kind])


def _metrics(row: QueryMetrics | None) -> tuple[MetricValue, ...]:
    if row is None:
        return ()
    values = ((name, getattr(row, name)) for name in SHOWN)
    return tuple(
        MetricValue(METRIC_NAMES[name], row.reasons.get(name, "missing") if value is None else value)
        for name, value in values
    )


def _cut(claims: Sequence[Claim]) -> str:
    """Say who cut the answer into claims, and what went wrong where that is sentences after all."""
    told = next((claim.meta["cut"] for claim in claims if isinstance(claim.meta.get("cut"), dict)), None)
    if told is None:
        return ""
    by, fault = told.get("by", ""), told.get("fault", "")
    if fault:
        return f"Cut into sentences: the cut by {by} could not be used ({fault})."
    return f"Cut into atomic claims by {by}."


def _supports(claims: Sequence[ClaimLine]) -> dict[int, list[int]]:
    """Return rank -> numbers of the claims that it supports best."""
    supports: dict[int, list[int]] = {}
    for claim in claims:
        for said in claim.said[:1]:
            if said.supports and said.rank:
                supports.setdefault(said.rank, []).append(claim.number)
    return supports


def _claim(number: int, claim: Claim, manifest: Manifest, ranks: Mapping[str, int]) -> ClaimLine:
    words = manifest.words[claim.pk]
    decision = words.decide(manifest.context)
    tone, state = _CLAIM_STATES[decision.supported]
    heard = [(judge, _in_context(scores, manifest.context)) for judge, scores in words.by_judge]
    said = [_said(judge.name, scores, judge.threshold, ranks) for judge, scores in heard if scores]
    deciding = [line for line in said if line.judge == words.name_of(decision.judge)]
    in_context = {key: rank for key, rank in ranks.items() if manifest.context is None or key in manifest.context}
    cites = tuple(_cite(cite.cited, cite.whole_document, in_context) for cite in manifest.cites[claim.pk])
    ordered = (*deciding, *(line for line in said if line not in deciding))
    return ClaimLine(number, claim.text, tone, state, ordered, cites, source_check(claim, manifest))


def _in_context(scores: Sequence[Score], context: frozenset[str] | None) -> list[Score]:
    """Return the words that count: sources of summaries are read too, and stand apart."""
    return [score for score in scores if context is None or score.chunk is None or score.chunk.key in context]


_CLAIM_STATES: dict[bool | None, tuple[str, str]] = {
    True: ("ok", "supported"),
    False: ("bad", "not supported"),
    None: ("open", "no usable score"),
}


def _said(judge: str, scores: Sequence[Score], threshold: float, ranks: Mapping[str, int]) -> Said:
    """Return a judge's best word on a claim: what supports it most, else its highest score, else its error."""
    read = [(score, ClaimWords.word_of(score, threshold).supports) for score in scores]
    best, supports = max(read, key=lambda pair: (pair[1] is True, pair[0].value is not None, pair[0].value or 0.0))
    key = best.chunk.key if best.chunk else ""
    return Said(judge, supports, best.value, threshold, ranks.get(key, 0), best.error)


def _cite(cited: str, whole_document: bool, ranks: Mapping[str, int]) -> CiteLine:
    rank = ranks.get(cited, 0)
    if whole_document:
        return CiteLine(cited, 0, "whole document: unverifiable", "warn")
    return CiteLine(cited, rank, "in the context", "ok") if rank else CiteLine(cited, 0, "fabricated", "bad")


def _recorded(scores: Sequence[Mapping[str, object]]) -> tuple[RecordedLine, ...]:
    lines = []
    for score in scores:
        source = " ".join(str(score[name]) for name in ("tool", "version", "judge") if score.get(name))
        value = score.get("value")
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        lines.append(
            RecordedLine(str(score.get("metric", "")), number, source or "the file", bool(score.get("usable", True)))
        )
    return tuple(lines)
