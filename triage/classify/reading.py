"""From the rows of a batch of queries to their facts, in a fixed number of SQL queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from triage.classify import rows
from triage.classify.rows import CitationRow, ClaimRow, QueryRow, WordRow
from triage.core.abstention import is_abstention
from triage.core.correctness import correctness, matched
from triage.core.judging import Task
from triage.core.metrics import CitationFacts, ClaimFacts, QueryFacts, effective_abstained
from triage.core.policy import Policy
from triage.core.support import Heard, decide_heard, heard_on_pair
from triage.models import GoldRevision, Judge, Query, Run

#: (claim pk, judge pk) -> what the judge said of the claim
Words = dict[tuple[int, int], Heard]
#: Chunks whose facts are remembered at most: enough for most corpora, some 50 MB.
CHUNKS_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Loaded:
    """One query with its facts and where they come from."""

    query: QueryRow
    facts: QueryFacts
    #: Fingerprints of the judges whose words the facts rest on.
    judges: tuple[str, ...]
    #: The recorded judge spoke of the claims themselves.
    claims_recorded: bool


class Chunks:
    """What is known of chunks by their ids, looked up once for all batches of a pass."""

    def __init__(self) -> None:
        self.keys: dict[int, str] = {}
        self.blank: set[int] = set()
        self.superseded: set[int] = set()

    def learn(self, wanted: set[int]) -> None:
        """Look up those of the chunks that are not known yet; forgets all others where they become too many."""
        if len(self.keys) > CHUNKS_REMEMBERED:
            for known in (self.keys, self.blank, self.superseded):
                known.clear()
        for chunk, key, is_blank, is_superseded in rows.chunks(list(wanted - self.keys.keys())):
            self.keys[chunk] = key
            if is_blank:
                self.blank.add(chunk)
            if is_superseded:
                self.superseded.add(chunk)

    def named(self, chunks: Sequence[int], among: set[int]) -> frozenset[str]:
        """Return the keys of those of the chunks that are among some."""
        return frozenset(self.keys[chunk] for chunk in chunks if chunk in among) if among else frozenset()


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
        grounding=_asked(run, Task.GROUNDING, policy),
        relevance=_asked(run, Task.RELEVANCE, policy),
        policy=policy,
        gold=GoldRevision.objects.current(run),
        by_match=says_nothing_of_correctness(run),
    )


def _asked(run: Run, task: Task, policy: Policy) -> list[Judge]:
    moved = policy.judge_thresholds
    judges = Judge.objects.asked_in(run, task)
    return [judge.heard_at(moved.get(judge.fingerprint, judge.threshold)) for judge in judges]


def load(queries: Sequence[QueryRow], basis: Basis, chunks: Chunks, *, with_citations: bool = True) -> list[Loaded]:
    """Return the facts of these queries, in order: six SQL queries at most, whatever their number.

    `with_citations`: no class rests on them.
    """
    batch = _Batch([query.pk for query in queries], basis, chunks, with_citations)
    return [batch.of(query) for query in queries]


class _Batch:
    """The rows of a batch, by the query or claim they belong to."""

    def __init__(self, ids: list[int], basis: Basis, chunks: Chunks, with_citations: bool) -> None:
        self._basis, self._chunks = basis, chunks
        self._grounding = [(judge.pk, judge.fingerprint) for judge in basis.grounding]
        self._relevance = [(judge.pk, judge.fingerprint) for judge in basis.relevance]
        self._slots = _grouped(rows.slots(ids), by=0)
        self._claims = _grouped(rows.claims(ids), by=1)
        self._cites = _grouped(rows.citations(ids) if with_citations else (), by=0)
        words = rows.words(ids, [judge for judge, _ in self._grounding])
        retrieved = {chunk for slots in self._slots.values() for _, chunk, _ in slots}
        chunks.learn(retrieved.union(chunk for _, _, chunk, _, _ in words if chunk is not None))
        self._words = _heard(words, basis.grounding, chunks)
        said = rows.ratings(ids, [judge for judge, _ in self._relevance])
        self._ratings = {(query, judge): value for query, judge, value in said}

    def of(self, query: QueryRow) -> Loaded:
        """Return one query with its facts."""
        slots, claims, chunks = self._slots[query.pk], self._claims[query.pk], self._chunks
        in_context = [chunk for _, chunk, is_in_context in slots if is_in_context]
        context = tuple([chunks.keys[chunk] for chunk in in_context]) if query.retrieval_known else None
        among = None if context is None else frozenset(context)
        stated = [self._claim(claim, among) for claim in claims]
        relevance, rated_by = self._rating(query.pk)
        judges = {judge for _, judge in stated} | {rated_by}
        facts = QueryFacts(
            key=query.key,
            answer=query.answer,
            candidates=tuple([chunks.keys[slot[1]] for slot in slots]) if query.retrieval_known else None,
            context=context,
            blank=chunks.named(in_context, chunks.blank),
            claims=tuple([claim for claim, _ in stated]),
            relevance=relevance,
            latency_ms=query.latency_ms,
            context_tokens=query.context_tokens,
            superseded=chunks.named(in_context, chunks.superseded),
            **_outcome(query, self._basis),
        )
        return Loaded(query, facts, tuple(sorted(judges - {""})), any(claim.is_recorded for claim in claims))

    def _claim(self, claim: ClaimRow, context: frozenset[str] | None) -> tuple[ClaimFacts, str]:
        """Return a claim's facts and the judge that decided on it."""
        pk, heard = claim.pk, self._words.get
        said = [(mark, words) for judge, mark in self._grounding if (words := heard((pk, judge))) is not None]
        decision = decide_heard(said, context)
        facts = ClaimFacts(
            key=str(pk),
            supported=decision.supported,
            supporting=decision.supporting,
            cites=tuple([_citation(cite, said, context) for cite in self._cites.get(pk, ())]),
            contradicted=decision.contradicted,
        )
        return facts, decision.judge

    def _rating(self, query_id: int) -> tuple[float | None, str]:
        """Return the relevance by the first judge that rated the answer, and who that is."""
        for judge, mark in self._relevance:
            if (query_id, judge) in self._ratings:
                return self._ratings[query_id, judge], mark
        return None, ""


def _citation(cite: CitationRow, said: list[tuple[str, Heard]], context: frozenset[str] | None) -> CitationFacts:
    return CitationFacts(
        chunk=cite.cited,
        in_context=context is None or cite.cited in context,
        whole_document=cite.whole_document,
        supports=heard_on_pair(said, cite.cited),
    )


def _outcome(query: QueryRow, basis: Basis) -> dict[str, Any]:
    """Decide gold, abstention and correctness anew: policy and gold may have changed since the import."""
    revision = basis.gold.get(query.key)
    gold = revision.gold if revision else query.gold
    answerable = revision.answerable if revision else query.answerable
    by_pattern = query.abstained_in_file is None and is_abstention(query.answer, basis.policy)
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


def _grouped(found: Iterable[Any], by: int) -> defaultdict[int, list[Any]]:
    """Return the rows by one of their columns."""
    groups: defaultdict[int, list[Any]] = defaultdict(list)
    for row in found:
        groups[row[by]].append(row)
    return groups


def _heard(found: Iterable[WordRow], judges: Sequence[Judge], chunks: Chunks) -> Words:
    thresholds = {judge.pk: judge.threshold for judge in judges}
    said: Words = defaultdict(Heard)
    for claim, judge, chunk, value, label in found:
        said[claim, judge].hear(None if chunk is None else chunks.keys[chunk], value, label, thresholds[judge])
    return said
