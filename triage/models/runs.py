"""A run as imported, its corpus, and the gold people accepted since. Frozen after import."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.db import models

from triage.core.closure import BY_FILE, BY_MATCH
from triage.models.keys import new_key
from triage.models.projects import Project

#: Arms a run is compared with at once, the newest first.
MOST_ARMS = 20


class Runs(models.QuerySet["Run"]):
    """Runs by who sees them and by what is left to do."""

    def of(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """Return the runs of the projects this user is a member of."""
        return self.filter(project__members__user=user.pk)

    def arms_of(self, run: Run) -> list[tuple[str, float]]:
        """Return (name, mean tokens per chunk) of the classified runs over the same evaluation set, this one first."""
        same = (
            self.filter(project=run.project_id, evaluation_set=run.evaluation_set)
            if run.evaluation_set
            else self.none()
        )
        others = same.exclude(pk=run.pk).exclude(summary={}).order_by("-pk")
        named = [(run.name, run.summary), *others.values_list("name", "summary")[:MOST_ARMS]]
        told = ((name, summary.get("metrics", {}).get("tokens_per_chunk", {})) for name, summary in named)
        return [(name, tokens["value"]) for name, tokens in told if tokens.get("value") is not None]

    def for_runs_page(self, project: Project, before: int | None) -> Self:
        """Return the project's runs, the newest first; `before`: only those older than this one."""
        older = models.Q(pk__lt=before) if before is not None else models.Q()
        return self.filter(older, project=project).order_by("-pk").defer("errors", "warnings", "meta")

    def for_api(self, project: Project, name: str, after: str | None) -> Self:
        """Return the project's runs, the newest first; those of a name, those older than the run with a key."""
        found = self.for_runs_page(project, None).select_related("project")
        if name:
            found = found.filter(name=name)
        return found.filter(pk__lt=models.Subquery(Run.objects.filter(key=after).values("pk"))) if after else found

    def named(self, text: str, project: str) -> Self:
        """Return the run with this key, else the runs of the project with exactly this name, the newest first."""
        by_key = self.filter(key=text)
        return by_key if by_key.exists() else self.filter(project__slug=project, name=text).order_by("-pk")

    def being_deleted(self) -> Self:
        """Return the runs whose rows are being removed, oldest first."""
        return self.filter(state=Run.State.DELETING).order_by("pk")

    def unfinished(self) -> Self:
        """Return the runs `advance` still has work on, oldest first."""
        return self.filter(state__in=[Run.State.SCORING, Run.State.CLASSIFYING]).order_by("pk")


class KeptRuns(models.Manager["Run"]):
    """The runs there are: one that is being deleted is none any more."""

    def get_queryset(self) -> models.QuerySet[Run]:
        """Leave out what is being deleted."""
        return super().get_queryset().exclude(state=Run.State.DELETING)


class Run(models.Model):
    """One configuration run end to end over an evaluation set, exactly as its file told it."""

    class State(models.TextChoices):
        """Where the run is on the path. Import happens on `Upload`: a Run row exists once it is complete."""

        SCORING = "scoring"
        CLASSIFYING = "classifying"
        DONE = "done"
        PAUSED = "paused"
        FAILED = "failed"
        CANCELLED = "cancelled"
        #: Hidden from everybody; a worker removes its rows.
        DELETING = "deleting"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    key = models.CharField(max_length=10, unique=True, default=new_key)
    name = models.CharField(max_length=300)
    pipeline = models.CharField(max_length=300, blank=True)
    release = models.CharField(max_length=300, blank=True)
    config = models.JSONField(default=dict)
    started_at = models.DateTimeField(null=True)
    #: Name of the evaluation set; gold belongs to (project, evaluation set, query key), not to the run.
    evaluation_set = models.CharField(max_length=300, blank=True)
    #: The whole `evaluation_set` object of the file: version, built_at, questions_from, pooled_from, serving_k.
    evaluation_set_facts = models.JSONField(default=dict)
    prices = models.JSONField(default=dict)
    targets = models.JSONField(default=dict)
    meta = models.JSONField(default=dict)
    #: sha256 of the canonical content, independent of spelling and of what people added.
    content_hash = models.BinaryField(max_length=32)
    file_name = models.CharField(max_length=300, blank=True)
    file_format = models.CharField(max_length=40, default="run_file")
    #: Row errors (first 1,000) and warnings of the import, as `RowError` / `Notice` objects, and the count of errors.
    errors = models.JSONField(default=list)
    error_count = models.IntegerField(default=0)
    warnings = models.JSONField(default=list)
    #: Plain counts of the import: lines, queries, chunks, failing, correct, undecided, claims ...
    counts = models.JSONField(default=dict)
    state = models.CharField(max_length=12, choices=State.choices, default=State.SCORING)
    #: Why a run is paused or failed, in a sentence for people.
    state_reason = models.TextField(blank=True)
    #: How often classifying was begun without an end: a run that kills its worker is given up.
    classify_attempts = models.IntegerField(default=0)
    gold_version = models.IntegerField(default=1)
    #: Run-level metrics, readings and closure checks as last rebuilt by `classify`; empty before that.
    summary = models.JSONField(default=dict)
    policy_fingerprint = models.CharField(max_length=8, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = KeptRuns.from_queryset(Runs)()
    #: Those being deleted included.
    every = Runs.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "content_hash"], name="one_run_per_content"),
        ]
        indexes = [models.Index(fields=["project", "-created_at"], name="run_newest_first")]

    def __str__(self) -> str:
        return self.name

    @property
    def decided_by_match(self) -> int:
        """Return how many answers the machine itself found correct or not, by match with their reference."""
        return int(self.summary.get("correct_by", {}).get("match", 0))

    @property
    def correct_by_words(self) -> str:
        """Return who says which answers are correct, in words."""
        return BY_MATCH if self.decided_by_match else BY_FILE

    @property
    def judge_thresholds(self) -> dict[str, float]:
        """Return the thresholds that the policy of the run's classes moved, by the judge's own fingerprint."""
        moved: dict[str, float] = self.summary.get("policy", {}).get("judge_thresholds", {})
        return moved


class Chunks(models.QuerySet["Chunk"]):
    """Chunks by whether a run still holds them."""

    def unused(self) -> Self:
        """Return the chunks no run's corpus, retrieval or citation names."""
        return self.filter(run_chunks__isnull=True, retrieved__isnull=True, citations__isnull=True)


class Chunk(models.Model):
    """One piece of the corpus as a run saw it. Shared by the runs of a project that saw exactly the same."""

    #: Its index is `one_chunk_per_content`.
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="chunks", db_index=False)
    #: The id the file gave it; unique only together with its content.
    key = models.TextField()
    #: sha256 over key, text and all metadata.
    content_hash = models.BinaryField(max_length=32)
    #: sha256 of the text alone: what the score cache compares. Null text = "text not supplied".
    text_hash = models.BinaryField(max_length=32)
    text = models.TextField(null=True)
    document = models.TextField(blank=True)
    section = models.TextField(blank=True)
    title = models.TextField(blank=True)
    url = models.TextField(blank=True)
    tokens = models.IntegerField(null=True)
    updated_at = models.DateTimeField(null=True)
    superseded_by = models.TextField(blank=True)
    summary_of = ArrayField(models.TextField(), default=list)
    meta = models.JSONField(default=dict)

    objects = Chunks.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "content_hash"], name="one_chunk_per_content")]

    def __str__(self) -> str:
        return self.key


class RunChunk(models.Model):
    """The corpus a run brought: lets gold ids, summaries and superseded documents be resolved within the run."""

    #: Its index is `one_chunk_per_key_in_run`.
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="run_chunks", db_index=False)
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="run_chunks")
    #: Copy of `Chunk.key`, so that one key names one chunk per run, by constraint. Hashed: keys may be long.
    key_hash = models.BinaryField(max_length=32)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key_hash"], name="one_chunk_per_key_in_run")]

    def __str__(self) -> str:
        return f"chunk {self.chunk_id} in run {self.run_id}"


class GoldRevisions(models.QuerySet["GoldRevision"]):
    """Accepted gold by the set it belongs to."""

    def current(self, run: Run) -> dict[str, GoldRevision]:
        """Return query key -> the newest revision, for the evaluation set of the run."""
        revisions = self.filter(project=run.project_id, evaluation_set=run.evaluation_set)
        return {revision.query_key: revision for revision in revisions.order_by("version", "pk")}


class GoldRevision(models.Model):
    """Accepted gold for a query key of an evaluation set. Nothing is overwritten: the highest version counts."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="gold_revisions")
    evaluation_set = models.CharField(max_length=300, blank=True)
    query_key = models.TextField()
    version = models.IntegerField()
    gold = ArrayField(models.TextField(), null=True)
    reference = models.TextField(null=True)
    answerable = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = GoldRevisions.as_manager()

    class Meta:
        indexes = [models.Index(fields=["project", "evaluation_set", "version"], name="gold_by_set")]

    def __str__(self) -> str:
        return f"gold v{self.version} of {self.query_key}"
