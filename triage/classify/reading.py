"""From the rows of a batch of queries to their facts, in a fixed number of SQL queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q

from triage.core.abstention import is_abstention
from triage.core.correctness import correctness, matched
from triage.core.judging import Task
from triage.core.metrics import CitationFacts, ClaimFacts, QueryFacts, effective_abstained
from triage.core.policy import Policy
from triage.core.support import Word, decide, on_pair, word
from triage.models import Citation, Claim, GoldRevision, Judge, Query, Retrieved, Run, Score

#: claim pk -> judge pk -> the judge's words on the claim
Words = defaultdict[int, defaultdict[int, list[Word]]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """One query with its facts and where they come from."""

    query: Query
    facts: QueryFacts
    #: Fingerprints of the judges whose words the facts rest on.
    judges: tuple[str, ...]
    #: The recorded judge spoke of the claims themselves.
    claims_recorded: bool


@dataclass(slots=True)
class _Slots:
    """What was retrieved for one query, in rank order."""

    candidates: list[str] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    blank: set[str] = field(default_factory=set)
    superseded: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Basis:
    """What is the same for all queries of a run: who is asked, under which policy, with which corrected gold."""

    #: The judges of claims and of answers, each in the order they are asked.
    grounding: Sequence[Judge]
    relevance: Sequence[Judge]
    policy: Policy
    #: Query key -> the gold that people accepted last.
    gold: dict[str, GoldRevision]
    #: The file says of no answer whether it is correct: the machine says it, by match with the reference.
    by_match: bool = False

    @property
    def gold_version(self) -> int:
        """Return the newest gold version of the evaluation set; 1 = as it came."""
        return max((revision.version for revision in self.gold.values()), default=1)


def says_nothing_of_correctness(run: Run) -> bool:
    """Say whether the run's file says of no answer whether it is correct. One null among verdicts stays undecided."""
    return not Query.objects.filter(run=run, correct_in_file__isnull=False).exists()


def basis_of(run: Run, policy: Policy) -> Basis:
    """Return what the classes of the run rest on under this policy, judges at the thresholds it moves."""
    return Basis(
        grounding=_heard(run, Task.GROUNDING, policy),
        relevance=_heard(run, Task.RELEVANCE, policy),
        policy=policy,
        gold=GoldRevision.objects.current(run),
        by_match=says_nothing_of_correctness(run),
    )


def _heard(run: Run, task: Task, policy: Policy) -> list[Judge]:
    moved = policy.judge_thresholds
    judges = Judge.objects.asked_in(run, task)
    return [judge.heard_at(moved.get(judge.fingerprint, judge.threshold)) for judge in judges]


def load(queries: Sequence[Query], basis: Basis) -> list[Loaded]:
    """Return the facts of these queries, in order: five SQL queries whatever their number."""
    rows = _Rows([query.pk for query in queries], basis)
    return [rows.of(query) for query in queries]


class _Rows:
    """The rows of a batch, by the query or claim they belong to."""

    def __init__(self, ids: list[int], basis: Basis) -> None:
        self._basis = basis
        self._slots = _slots(ids)
        claims = Claim.objects.filter(query__in=ids, is_current=True).order_by("query", "position")
        self._claims = _grouped(claims.defer("human"), "query_id")
        self._cites = _grouped(Citation.objects.filter(claim__query__in=ids).order_by("claim", "position"), "claim_id")
        self._words = _words(ids, basis.grounding)
        self._relevance = _relevance(ids, basis.relevance)

    def of(self, query: Query) -> Loaded:
        """Return one query with its facts."""
        slots, claims = self._slots[query.pk], self._claims[query.pk]
        known = query.retrieval_known
        context = frozenset(slots.context) if known else None
        stated = [self._claim(claim, context) for claim in claims]
        relevance, rated_by = self._rating(query.pk)
        judges = {judge for _, judge in stated} | {rated_by}
        facts = QueryFacts(
            key=query.key,
            answer=query.answer,
            candidates=tuple(slots.candidates) if known else None,
            context=tuple(slots.context) if known else None,
            blank=frozenset(slots.blank),
            claims=tuple(claim for claim, _ in stated),
            relevance=relevance,
            latency_ms=query.latency_ms,
            context_tokens=query.context_tokens,
            superseded=frozenset(slots.superseded),
            **_outcome(query, self._basis),
        )
        return Loaded(query, facts, tuple(sorted(judges - {""})), any(claim.recorded for claim in claims))

    def _claim(self, claim: Claim, context: frozenset[str] | None) -> tuple[ClaimFacts, str]:
        """Return a claim's facts and the judge that decided on it."""
        words: dict[int, list[Word]] = self._words.get(claim.pk, {})
        said = [(judge.fingerprint, words.get(judge.pk, [])) for judge in self._basis.grounding]
        decision = decide(said, context)
        facts = ClaimFacts(
            key=str(claim.pk),
            supported=decision.supported,
            supporting=decision.supporting,
            cites=tuple(_citation(cite, said, context) for cite in self._cites[claim.pk]),
            contradicted=decision.contradicted,
        )
        return facts, decision.judge

    def _rating(self, query_id: int) -> tuple[float | None, str]:
        """Return the relevance by the first judge that rated the answer, and who that is."""
        for judge in self._basis.relevance:
            if (query_id, judge.pk) in self._relevance:
                return self._relevance[query_id, judge.pk], judge.fingerprint
        return None, ""


def _citation(cite: Citation, said: list[tuple[str, list[Word]]], context: frozenset[str] | None) -> CitationFacts:
    return CitationFacts(
        chunk=cite.cited,
        in_context=context is None or cite.cited in context,
        whole_document=cite.whole_document,
        supports=on_pair(said, cite.cited),
    )


def _outcome(query: Query, basis: Basis) -> dict[str, Any]:
    """Decide gold, abstention and correctness anew: policy and gold may have changed since the import."""
    revision = basis.gold.get(query.key)
    gold = revision.gold if revision else query.gold
    answerable = revision.answerable if revision else query.answerable
    by_pattern = is_abstention(query.answer, basis.policy)
    abstained = effective_abstained(query.answer, query.abstained_in_file, by_pattern=by_pattern)
    known = correctness(query.correct_in_file, answerable=answerable, abstained=abstained)
    if basis.by_match:
        reference = query.reference if revision is None or revision.reference is None else revision.reference
        known = matched(known, query.answer, reference, basis.policy)
    return {
        "gold": None if gold is None else frozenset(gold),
        "answerable": answerable,
        "abstained": abstained,
        "correct": known.value,
        "correct_by": known.by,
    }


def _grouped(rows: Iterable[Any], by: str) -> defaultdict[int, list[Any]]:
    groups: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, by)].append(row)
    return groups


def _slots(ids: list[int]) -> defaultdict[int, _Slots]:
    """Read the retrieved chunks without their texts; whether a text is blank is asked of the database."""
    blank = ExpressionWrapper(Q(chunk__text__regex=r"\A\s*\Z"), output_field=BooleanField())
    rows = Retrieved.objects.filter(query__in=ids).annotate(blank=blank).order_by("query", "rank")
    found: defaultdict[int, _Slots] = defaultdict(_Slots)
    for query, key, in_context, is_blank, superseded_by in rows.values_list(
        "query_id", "chunk__key", "in_context", "blank", "chunk__superseded_by"
    ):
        slots = found[query]
        slots.candidates.append(key)
        if in_context:
            slots.context.append(key)
            slots.blank.update([key] if is_blank else ())
            slots.superseded.update([key] if superseded_by else ())
    return found


def _words(ids: list[int], judges: Sequence[Judge]) -> Words:
    thresholds = {judge.pk: judge.threshold for judge in judges}
    rows = Score.objects.filter(query__in=ids, claim__isnull=False, judge__in=thresholds)
    said: Words = defaultdict(lambda: defaultdict(list))
    for claim, judge, chunk, value, label in rows.values_list(
        "claim_id", "judge_id", "chunk__key", "value", "label"
    ).iterator(chunk_size=10_000):
        said[claim][judge].append(word(chunk, value, label, thresholds[judge]))
    return said


def _relevance(ids: list[int], judges: Sequence[Judge]) -> dict[tuple[int, int], float]:
    rows = Score.objects.filter(query__in=ids, claim__isnull=True, value__isnull=False, judge__in=judges)
    said = rows.values_list("query_id", "judge_id", "value")
    return {(query, judge): value for query, judge, value in said if value is not None}
