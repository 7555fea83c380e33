"""The rows around one query, in a fixed number of SQL queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from triage.core.judging import Task
from triage.core.support import Decision, Word, decide, on_pair, word
from triage.models import Chunk, Citation, Claim, Judge, Query, Retrieved, Score


@dataclass(slots=True)
class ClaimWords:
    """What the judges said of one claim, in the order they are asked."""

    by_judge: list[tuple[Judge, list[Score]]] = field(default_factory=list)

    @staticmethod
    def word_of(score: Score, threshold: float) -> Word:
        """Return a score row as the pure core reads it."""
        return word(score.chunk.key if score.chunk else None, score.value, score.label, threshold)

    def decide(self, context: frozenset[str] | None) -> Decision:
        """Return what the judges come to: the very rule the classifier uses."""
        return decide(self._said(), context)

    def _said(self) -> list[tuple[str, list[Word]]]:
        return [
            (judge.fingerprint, [self.word_of(score, judge.threshold) for score in scores])
            for judge, scores in self.by_judge
        ]

    def on_pair(self, chunk: str) -> bool | None:
        """Return what the first judge with a usable word on exactly this chunk says; None when none has."""
        return on_pair(self._said(), chunk)

    def score_on(self, chunk: str) -> float | None:
        """Return the first judge's score on exactly this chunk, where there is one."""
        on_it = (score for _, said in self.by_judge for score in said if score.chunk and score.chunk.key == chunk)
        return next((score.value for score in on_it if score.value is not None), None)

    def name_of(self, fingerprint: str) -> str:
        """Return the name of the judge with this fingerprint; "" when it did not speak here."""
        return next((judge.name for judge, _ in self.by_judge if judge.fingerprint == fingerprint), "")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The rows around one query."""

    slots: Sequence[Retrieved]
    #: Keys of the chunks in the prompt; None = the file does not say.
    context: frozenset[str] | None
    claims: Sequence[Claim]
    words: Mapping[int, ClaimWords]
    cites: Mapping[int, Sequence[Citation]]
    #: Gold chunks, and the passages that summaries in the prompt were made from, of the run's corpus by key.
    corpus: Mapping[str, Chunk]
    #: Positions of the neighbours, where there are any.
    previous: int | None
    next: int | None


def read_manifest(query: Query, gold: frozenset[str]) -> Manifest:
    """Read the rows; `gold` names the chunks whose texts are wanted even where they were not retrieved."""
    claims = list(Claim.objects.filter(query=query, is_current=True).order_by("position", "pk"))
    slots = list(Retrieved.objects.filter(query=query).select_related("chunk").order_by("rank"))
    context = frozenset(slot.chunk.key for slot in slots if slot.in_context)
    cites: defaultdict[int, list[Citation]] = defaultdict(list)
    for cite in Citation.objects.filter(claim__in=claims).order_by("position"):
        cites[cite.claim_id].append(cite)
    sources = {key for slot in slots if slot.in_context for key in slot.chunk.summary_of}
    corpus = Chunk.objects.filter(run_chunks__run=query.run_id, key__in=gold | sources)
    places = [query.position - 1, query.position + 1]
    beside = set(Query.objects.filter(run=query.run_id, position__in=places).values_list("position", flat=True))
    return Manifest(
        slots=slots,
        context=context if query.retrieval_known else None,
        claims=claims,
        words=_words(query, claims),
        cites=cites,
        corpus={chunk.key: chunk for chunk in corpus},
        previous=next((place for place in places[:1] if place in beside), None),
        next=next((place for place in places[1:] if place in beside), None),
    )


def _words(query: Query, claims: list[Claim]) -> dict[int, ClaimWords]:
    moved = query.run.judge_thresholds
    asked = Judge.objects.asked_in(query.run, Task.GROUNDING)
    judges = [judge.heard_at(moved.get(judge.fingerprint, judge.threshold)) for judge in asked]
    rows: defaultdict[tuple[int | None, int], list[Score]] = defaultdict(list)
    scores = Score.objects.filter(query=query, claim__in=claims, judge__in=judges).select_related("chunk")
    for score in scores.defer("raw", "chunk__text", "chunk__meta").order_by("pk"):
        rows[score.claim_id, score.judge_id].append(score)
    return {
        claim.pk: ClaimWords([(judge, rows[claim.pk, judge.pk]) for judge in judges if rows[claim.pk, judge.pk]])
        for claim in claims
    }
