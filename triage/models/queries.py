"""The queries of a run: what was retrieved, what was answered, what it claims. Frozen after import."""

from __future__ import annotations

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from triage.core.closure import Outcomes
from triage.core.correctness import SaidBy
from triage.core.filters import Outcome, QueryFilter
from triage.core.labels import UNSCORED
from triage.models.runs import Chunk, Run
from triage.models.search import Words, says

_OUTCOMES: dict[str, models.Q] = {
    Outcome.FAILING: models.Q(correct=False),
    Outcome.CORRECT: models.Q(correct=True),
    Outcome.UNDECIDED: models.Q(correct__isnull=True),
}
#: In a filter: queries that do not carry the slice key.
WITHOUT_SLICE = "(none)"
#: In a filter: unscored queries whose later tests have no value either.
NOWHERE = "none"


def _suggested(wanted: QueryFilter) -> dict[str, object]:
    """Return the conditions on the current suggestion."""
    asked: dict[str, object] = {
        "current__label": wanted.label,
        "current__would_be": wanted.would_be,
        "current__missing": wanted.missing,
        "current__proposed_sub_cause": wanted.sub_cause,
        "current__near": wanted.near,
    }
    chosen = {condition: value for condition, value in asked.items() if value}
    if wanted.would_be == NOWHERE:
        chosen |= {"current__would_be": "", "current__label": UNSCORED}
    return chosen


def _in_slice(key: str, value: str) -> models.Q:
    if value == WITHOUT_SLICE:
        return ~models.Q(slices__has_key=key)
    return models.Q(slices__contains={key: value})


class Queries(models.QuerySet["Query"]):
    """Queries of a run by outcome and by what is left to do."""

    def failing(self) -> Self:
        """Return the queries answered wrongly. Undecided ones are neither failing nor passing."""
        return self.filter(correct=False)

    def unscored_by(self, panel: str) -> Self:
        """Return the queries this panel of judges has neither finished nor given up on, in file order."""
        settled = models.Q(scorings__done_at__isnull=False) | models.Q(scorings__quarantined__gt="")
        done = Query.objects.filter(settled, scorings__panel=panel).values("pk")
        return self.exclude(pk__in=done).order_by("position")

    def hold_answers(self, run: Run) -> bool:
        """Say whether any query of the run has an answer that is not blank; without one, nobody declined."""
        return self.filter(run=run, answer__regex=r"[^[:space:]]").exists()

    def flagged(self, run: Run) -> dict[str, int]:
        """Return oddity -> queries of the run that have it."""
        rows = self.filter(run=run).exclude(flags=[]).annotate(flag=models.Func("flags", function="unnest"))
        return dict(rows.values_list("flag").annotate(models.Count("pk")).order_by("flag"))

    def outcomes(self, run: Run) -> Outcomes:
        """Return how many queries of the run are failing, correct and undecided."""
        # Named otherwise than the column: an aggregate called `correct` would hide it from the next filter.
        counts = self.filter(run=run).aggregate(
            failing=models.Count("pk", filter=models.Q(correct=False)),
            passing=models.Count("pk", filter=models.Q(correct=True)),
            undecided=models.Count("pk", filter=models.Q(correct__isnull=True)),
        )
        return Outcomes(counts["failing"], counts["passing"], counts["undecided"])

    def matching(self, run: Run, wanted: QueryFilter) -> Self:
        """Return the run's queries a reader asked for, each with its current `label`, `would_be`, `near` beside it."""
        current = models.FilteredRelation("suggestions", condition=models.Q(suggestions__is_current=True))
        found = self.filter(run=run).annotate(current=current).filter(_OUTCOMES.get(wanted.outcome, models.Q()))
        if wanted.is_about_failures:
            found = found.filter(correct=False, **_suggested(wanted))
        if wanted.flag:
            # Said twice, so that the index of the few flagged rows answers.
            found = found.filter(flags__contains=[wanted.flag]).exclude(flags=[])
        if wanted.correct_by:
            found = found.filter(correct_by=wanted.correct_by)
        if wanted.slice_key:
            found = found.filter(_in_slice(wanted.slice_key, wanted.slice_value))
        if wanted.slice_key_2:
            found = found.filter(_in_slice(wanted.slice_key_2, wanted.slice_value_2))
        if wanted.text:
            found = found.filter(says(wanted.text, run.pk))
        return found

    def for_queries_page(self) -> Self:
        """Return the rows of the list, in file order, with the numbers it shows."""
        labels = {name: models.F(f"current__{name}") for name in ("label", "would_be", "near")}
        columns = ("position", "key", "question", "correct", "abstained", "answerable", "run_id", "flags", "correct_by")
        numbers = ("metrics__context_recall", "metrics__faithfulness", "metrics__answer_relevance", "metrics__reasons")
        return self.annotate(**labels).select_related("metrics").only(*columns, *numbers).order_by("position")


class Query(models.Model):
    """One question as evaluated in one run."""

    #: Its index is `queries_by_id`.
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="queries", db_index=False)
    #: 1-based place in the file; the number in URLs.
    position = models.IntegerField()
    key = models.TextField()
    key_hash = models.BinaryField(max_length=32)
    question = models.TextField()
    #: The database's own hash of the question: pairs of runs compare it, so that no text is read. Two questions of the
    #: same id that differ have the same hash once in 2^64.
    question_hash = models.GeneratedField(
        expression=models.Func(models.F("question"), models.Value(0), function="hashtextextended"),
        output_field=models.BigIntegerField(),
        db_persist=True,
    )
    #: Null = no answer was produced.
    answer = models.TextField(null=True)
    reference = models.TextField(null=True)
    answerable = models.BooleanField(default=True)
    #: The end-to-end verdict that counts (metrics.md section 1 applied); null = undecided.
    correct = models.BooleanField(null=True)
    #: What the file said; null = not said.
    correct_in_file = models.BooleanField(null=True)
    #: Who decided on `correct`; blank = nobody, so it is undecided. `match` is the machine's word, never gold.
    correct_by = models.CharField(max_length=10, blank=True, default="", choices=[(by.value, by.name) for by in SaidBy])
    #: Whether the answer declined, by the file or by the policy's patterns at import; null only if not decided yet.
    abstained = models.BooleanField(null=True)
    abstained_in_file = models.BooleanField(null=True)
    #: False = the file said `retrieved: null` (unknown); true with no Retrieved rows = retrieved nothing.
    retrieval_known = models.BooleanField(default=True)
    #: Gold chunk keys of the file; null = unknown.
    gold = ArrayField(models.TextField(), null=True)
    gold_from = models.JSONField(default=dict)
    conversation = models.JSONField(default=list)
    slices = models.JSONField(default=dict)
    #: Recorded scores as the file gave them: list of {metric, value, judge, tool, version, definition, scale, usable}.
    scores = models.JSONField(default=list)
    human_scores = models.JSONField(default=list)
    #: Verdicts and gold challenges of people that came with the file; `labeling` turns them into rows.
    human = models.JSONField(default=list)
    challenges = models.JSONField(default=list)
    #: Named oddities of this row: score_out_of_range, duplicate_chunk, talks_to_judge, not_english ...
    flags = ArrayField(models.TextField(), default=list)
    latency_ms = models.FloatField(null=True)
    context_tokens = models.FloatField(null=True)
    reranker = models.CharField(max_length=40, blank=True)
    cost = models.FloatField(null=True)
    trace_id = models.TextField(blank=True)
    url = models.TextField(blank=True)
    meta = models.JSONField(default=dict)

    objects = Queries.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="one_query_per_position"),
            # With what it includes, it pairs two runs without a look at their rows.
            models.UniqueConstraint(
                fields=["run", "key_hash"], include=["id", "correct", "question_hash"], name="one_query_of_a_key"
            ),
        ]
        indexes = [
            models.Index(fields=["run", "position"], condition=models.Q(correct=False), name="failing_in_order"),
            # Counts of a run, and joins with what hangs on its queries, read this narrow index in place of wide rows.
            models.Index(fields=["run", "id"], include=["correct"], name="queries_by_id"),
            models.Index(fields=["run"], condition=~models.Q(flags=[]), name="flagged_queries"),
            GinIndex(Words(), name="words_without_signs"),
            # A slice of few queries would be looked for in every row of the run.
            GinIndex(fields=["slices"], opclasses=["jsonb_path_ops"], name="slices_of_queries"),
        ]

    def __str__(self) -> str:
        return self.key


class Retrieved(models.Model):
    """One candidate slot of a query, in rank order (rank 1 first)."""

    #: Its index is `one_chunk_per_rank`.
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="retrieved", db_index=False)
    rank = models.IntegerField()
    chunk = models.ForeignKey(Chunk, on_delete=models.RESTRICT, related_name="retrieved")
    #: Retriever and reranker scores as given: any scale, never interpreted as a probability.
    score = models.FloatField(null=True)
    rerank_score = models.FloatField(null=True)
    in_context = models.BooleanField(default=True)
    tokens = models.IntegerField(null=True)
    #: Unknown fields of the slot, kept.
    meta = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["query", "rank"], name="one_chunk_per_rank")]

    def __str__(self) -> str:
        return f"rank {self.rank} of query {self.query_id}"


class Claim(models.Model):
    """One checkable statement of an answer, from the file or split by us. Its text never changes."""

    class Source(models.TextChoices):
        """Who cut the claim."""

        FILE = "file"
        SPLIT = "split"
        PERSON = "person"

    #: Its index is `claims_in_order`.
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="claims", db_index=False)
    position = models.IntegerField()
    text = models.TextField()
    text_hash = models.BinaryField(max_length=32)
    #: [start, end) in code points of the answer; null where the claim is not a span of it.
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    source = models.CharField(max_length=6, choices=Source.choices)
    #: False once a person split, merged or edited it: kept for its history, never scored again.
    is_current = models.BooleanField(default=True)
    replaced_by = models.ManyToManyField("self", symmetrical=False, related_name="replaces")
    #: Verdicts the file recorded: list of {chunk, label, score, judge}. A person's marks are in `human`.
    recorded = models.JSONField(default=list)
    human = models.JSONField(default=list)
    #: Unknown fields of the claim, kept.
    meta = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["query", "position"], name="claims_in_order"),
            # The score cache asks who has been judged with the same words before.
            models.Index(fields=["text_hash"], name="claims_by_text"),
        ]

    def __str__(self) -> str:
        return self.text


class Citation(models.Model):
    """A chunk or document that a claim says it rests on."""

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="citations")
    position = models.IntegerField()
    #: The chunk key (or document name) as cited.
    cited = models.TextField()
    #: The chunk, where the key names one of the run; null = fabricated or a whole document.
    chunk = models.ForeignKey(Chunk, null=True, on_delete=models.RESTRICT, related_name="citations")
    whole_document = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.cited
