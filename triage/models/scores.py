"""What judges said and what the classifier made of it. Every row names its judge, its policy, its gold version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy
from dataclasses import asdict, dataclass
from typing import Self

from django.db import models

from triage.core.judging import DEFAULT_ORDER, JudgeIdentity, Task
from triage.core.labels import SUGGESTION_LABELS, Support
from triage.models.projects import Project
from triage.models.queries import Claim, Query
from triage.models.runs import Chunk, Run


class Judges(models.QuerySet["Judge"]):
    """Judges by where they spoke."""

    def in_run(self, run: Run) -> Self:
        """Return the judges with scores in the run, the newest identity first."""
        return self._heard(Run.objects.filter(pk=run.pk)).order_by("-pk")

    def _heard(self, runs: models.QuerySet[Run]) -> Self:
        """Return the judges with scores in some of the runs.

        Per judge and run one look into an index, bounded by the first and the last query of the run: nothing of it
        grows with the scores. Scalar subqueries, because the planner would turn EXISTS into a pass over all scores.
        """
        ids = Query.objects.filter(run=models.OuterRef("pk")).order_by("pk").values("pk")
        within = models.Q(query__run=models.OuterRef("pk"))
        within &= models.Q(query_id__gte=models.OuterRef("first"), query_id__lte=models.OuterRef("last"))
        spoke = Score.objects.filter(within, judge=models.OuterRef(models.OuterRef("pk"))).order_by("query_id")
        ends = runs.annotate(first=models.Subquery(ids[:1]), last=models.Subquery(ids.reverse()[:1]))
        in_one = ends.annotate(spoke=models.Subquery(spoke.values("pk")[:1])).filter(spoke__isnull=False)
        return self.annotate(heard=models.Subquery(in_one.order_by().values("pk")[:1])).filter(heard__isnull=False)

    def asked_in(self, run: Run, task: Task) -> list[Judge]:
        """Return the judges whose words count in the run, in the order the project asks them.

        Of several identities of one name the newest counts; a project that names its judges hears no others.
        """
        newest: dict[str, Judge] = {}
        for judge in self.in_run(run).filter(task=task):
            newest.setdefault(judge.name, judge)
        order = list(run.project.judge_order or DEFAULT_ORDER)
        if not run.project.judge_order:
            order += [name for name in newest if name not in order]
        return [newest[name] for name in order if name in newest]

    def of_project(self, project: Project) -> Self:
        """Return the identities that scored something in the project, and those it adopted by a threshold."""
        scored = Judge.objects.all()._heard(Run.objects.filter(project=project)).values("pk")
        bodies = project.policy_versions.values_list("body__judge_thresholds", flat=True)
        moved = {(base, threshold) for body in bodies for base, threshold in (body or {}).items()}
        bases = {judge.fingerprint: judge for judge in self.filter(fingerprint__in={base for base, _ in moved})}
        adopted = {bases[base].identity().at(threshold).fingerprint for base, threshold in moved if base in bases}
        return self.filter(models.Q(pk__in=scored) | models.Q(fingerprint__in=adopted))

    def in_use(self, project: Project) -> list[Judge]:
        """Return the identity that counts of each judge of the project: the newest, at the threshold adopted."""
        heard = self._heard(Run.objects.filter(project=project))
        newest = heard.order_by("task", "name", "-pk").distinct("task", "name")
        thresholds = project.policy().judge_thresholds
        rows = [judge.heard_at(thresholds.get(judge.fingerprint, judge.threshold)) for judge in newest]
        named = {judge.fingerprint: judge for judge in self.filter(fingerprint__in=[row.fingerprint for row in rows])}
        return [named[row.fingerprint] for row in rows if row.fingerprint in named]


class Judge(models.Model):
    """A judge's identity as a row. Any change of name, model, revision, prompt or threshold is another row."""

    fingerprint = models.CharField(max_length=12, unique=True)
    name = models.CharField(max_length=200)
    task = models.CharField(max_length=12, choices=[(task.value, task.value) for task in Task])
    model = models.CharField(max_length=300, blank=True)
    revision = models.CharField(max_length=200, blank=True)
    prompt_hash = models.CharField(max_length=64, blank=True)
    threshold = models.FloatField()
    #: The identity that scored, where a project only moved its threshold; null = it scores itself.
    scores_of = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="moved")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Judges.as_manager()

    def __str__(self) -> str:
        return self.name

    def identity(self) -> JudgeIdentity:
        """Return the identity as the pure core knows it."""
        return JudgeIdentity(
            name=self.name,
            task=Task(self.task),
            model=self.model,
            revision=self.revision,
            prompt_hash=self.prompt_hash,
            threshold=self.threshold,
        )

    @property
    def voices(self) -> list[int]:
        """Return the ids of the judges whose scores are this one's: its own, and those it hears at its threshold."""
        return [pk for pk in (self.pk, self.scores_of_id) if pk is not None]

    @property
    def base_fingerprint(self) -> str:
        """Return the fingerprint of the judge as it scores: what a policy names."""
        return self.scores_of.fingerprint if self.scores_of else self.fingerprint

    def heard_at(self, threshold: float) -> Judge:
        """Return this judge, not saved, under its identity at a threshold; it keeps its id, so its scores are found."""
        if threshold == self.threshold:
            return self
        moved = copy(self)
        moved.threshold, moved.fingerprint = threshold, self.identity().at(threshold).fingerprint
        return moved

    def named_at(self, threshold: float) -> Judge:
        """Return the row of this judge's identity at a threshold, made where it is new: it hears this one's scores."""
        identity = self.identity().at(threshold)
        fields = {**asdict(identity), "scores_of": self}
        return Judge.objects.get_or_create(fingerprint=identity.fingerprint, defaults=fields)[0]


class Score(models.Model):
    """A judge's word: on (claim, chunk), on a claim against the whole context (chunk null), or on an answer
    against its question (claim null). Exactly one current row per judge and object.
    """

    #: Its index is `scores_by_judge`.
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="scores", db_index=False)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="judge_scores")
    claim = models.ForeignKey(Claim, null=True, on_delete=models.CASCADE, related_name="judge_scores")
    chunk = models.ForeignKey(Chunk, null=True, on_delete=models.CASCADE, related_name="judge_scores")
    #: In [0, 1]; null where the judge gave a label only, or failed.
    value = models.FloatField(null=True)
    label = models.CharField(max_length=12, blank=True, choices=[(label.value, label.value) for label in Support])
    #: Why there is no value: a sentence; blank = no error.
    error = models.TextField(blank=True)
    #: The judge's own words where they could not be read (judge_error) - shown escaped, never parsed for numbers.
    raw = models.TextField(blank=True)
    #: [start, end) in code points of the chunk: the sentence the judge rests on.
    evidence_start = models.IntegerField(null=True)
    evidence_end = models.IntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query", "judge"], condition=models.Q(claim__isnull=True), name="one_relevance_score"
            ),
            models.UniqueConstraint(
                fields=["claim", "judge"],
                condition=models.Q(claim__isnull=False, chunk__isnull=True),
                name="one_score_per_claim",
            ),
            models.UniqueConstraint(
                fields=["claim", "chunk", "judge"],
                condition=models.Q(claim__isnull=False, chunk__isnull=False),
                name="one_score_per_claim_and_chunk",
            ),
            models.CheckConstraint(
                condition=models.Q(value__isnull=True) | models.Q(value__gte=0, value__lte=1), name="score_in_range"
            ),
        ]
        # Answers whether a judge spoke in a run by one look at each end of it.
        indexes = [models.Index(fields=["judge", "query"], name="scores_by_judge")]

    def __str__(self) -> str:
        return f"score {self.pk}"


class Scoring(models.Model):
    """One panel of judges on one query: done, or tried and failed. What is left = queries without a done row."""

    #: Its index is `one_scoring_per_panel`.
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="scorings", db_index=False)
    #: Fingerprint of the ordered judges.
    panel = models.CharField(max_length=12)
    attempts = models.IntegerField(default=0)
    #: Handed to a worker until then, by the database's clock: nobody hands it out again before.
    leased_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    #: Set once attempts are used up: the item is quarantined with this reason, the run goes on.
    quarantined = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["query", "panel"], name="one_scoring_per_panel")]

    def __str__(self) -> str:
        return f"scoring of query {self.query_id}"


class QueryMetrics(models.Model):
    """The per-query metrics of metrics.md section 2 as last measured. Null value = a reason stands in `reasons`."""

    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="metrics", primary_key=True)
    context_precision = models.FloatField(null=True)
    context_precision_at_ranks = models.FloatField(null=True)
    context_recall = models.FloatField(null=True)
    candidate_recall = models.FloatField(null=True)
    faithfulness = models.FloatField(null=True)
    citation_precision = models.FloatField(null=True)
    citation_coverage = models.FloatField(null=True)
    support_from_gold = models.FloatField(null=True)
    answer_relevance = models.FloatField(null=True)
    #: metric -> named reason for every metric without a value.
    reasons = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"metrics of query {self.query_id}"


@dataclass(frozen=True, slots=True)
class FiledAlike:
    """Failing queries that the machine filed alike, and how many."""

    label: str
    would_be: str
    proposed_sub_cause: str
    near: bool
    count: int


def classes_of(filed: Iterable[FiledAlike]) -> dict[str, int]:
    """Return automatic label -> failing queries filed under it."""
    counts = Counter[str]()
    for each in filed:
        counts[each.label] += each.count
    return dict(counts)


class Suggestions(models.QuerySet["Suggestion"]):
    """Suggestions by run."""

    def current_in(self, run: Run) -> Self:
        """Return the current suggestions of the run's failing queries."""
        return self.filter(query__run=run, is_current=True, query__correct=False)

    def filed(self, run: Run) -> list[FiledAlike]:
        """Return the failing queries by how they are filed, in one pass."""
        how = ("label", "would_be", "proposed_sub_cause", "near")
        counts = self.current_in(run).order_by(*how).values_list(*how).annotate(models.Count("pk"))
        return [FiledAlike(*row) for row in counts]

    def classes(self, run: Run) -> dict[str, int]:
        """Return automatic label -> failing queries filed under it."""
        return classes_of(self.filed(run))


class Suggestion(models.Model):
    """The class the machine filed a failing query under, and why. Rows are kept; one per query is current."""

    #: Its index is `one_suggestion_per_basis`.
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="suggestions", db_index=False)
    label = models.CharField(max_length=24, choices=[(str(label), str(label)) for label in SUGGESTION_LABELS])
    #: For `unscored`: the label of the first later test that fires, or `still_wrong`. Blank otherwise.
    would_be = models.CharField(max_length=24, blank=True)
    #: The metric of the test that fired; blank where none did.
    test = models.CharField(max_length=40, blank=True)
    value = models.FloatField(null=True)
    threshold = models.FloatField(null=True)
    #: test -> value minus threshold, for every test that had a value.
    margins = models.JSONField(default=dict)
    near = models.BooleanField(default=False)
    #: The named missing value of an unscored query; blank otherwise.
    missing = models.CharField(max_length=24, blank=True)
    reasons = models.JSONField(default=list)
    proposed_sub_cause = models.CharField(max_length=40, blank=True)
    policy_fingerprint = models.CharField(max_length=8)
    #: Fingerprints of the judges whose words were used.
    judges = models.JSONField(default=list)
    gold_version = models.IntegerField(default=1)
    #: Fingerprint of (policy, judges, gold version, measured values): the same basis is the same row.
    basis = models.CharField(max_length=16)
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Suggestions.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "basis"], name="one_suggestion_per_basis"),
            models.UniqueConstraint(
                fields=["query"], condition=models.Q(is_current=True), name="one_current_suggestion"
            ),
            models.CheckConstraint(
                condition=models.Q(label__in=[str(label) for label in SUGGESTION_LABELS]), name="suggestion_label_known"
            ),
        ]

    def __str__(self) -> str:
        return self.label
