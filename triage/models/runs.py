"""A run as imported: queries, chunks, what was retrieved, the claims of each answer. Frozen after import."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.db import models

from triage.models.keys import new_key
from triage.models.projects import Project


class Runs(models.QuerySet["Run"]):
    """Runs by who sees them and by what is left to do."""

    def of(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """Return the runs of the projects this user is a member of."""
        return self.filter(project__members__user=user.pk)

    def unfinished(self) -> Self:
        """Return the runs `advance` still has work on, oldest first."""
        return self.filter(state__in=[Run.State.SCORING, Run.State.CLASSIFYING]).order_by("pk")


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
    gold_version = models.IntegerField(default=1)
    #: Run-level metrics, readings and closure checks as last rebuilt by `classify`; empty before that.
    summary = models.JSONField(default=dict)
    policy_fingerprint = models.CharField(max_length=8, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = Runs.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "content_hash"], name="one_run_per_content"),
        ]
        indexes = [models.Index(fields=["project", "-created_at"], name="run_newest_first")]

    def __str__(self) -> str:
        return self.name


class Chunk(models.Model):
    """One piece of the corpus as a run saw it. Shared by the runs of a project that saw exactly the same."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="chunks")
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

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "content_hash"], name="one_chunk_per_content")]

    def __str__(self) -> str:
        return self.key


class RunChunk(models.Model):
    """The corpus a run brought: lets gold ids, summaries and superseded documents be resolved within the run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="run_chunks")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="run_chunks")
    #: Copy of `Chunk.key`, so that one key names one chunk per run, by constraint. Hashed: keys may be long.
    key_hash = models.BinaryField(max_length=32)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key_hash"], name="one_chunk_per_key_in_run")]

    def __str__(self) -> str:
        return f"chunk {self.chunk_id} in run {self.run_id}"


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


class Query(models.Model):
    """One question as evaluated in one run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="queries")
    #: 1-based place in the file; the number in URLs.
    position = models.IntegerField()
    key = models.TextField()
    key_hash = models.BinaryField(max_length=32)
    question = models.TextField()
    #: Null = no answer was produced.
    answer = models.TextField(null=True)
    reference = models.TextField(null=True)
    answerable = models.BooleanField(default=True)
    #: The end-to-end verdict that counts (metrics.md section 1 applied); null = undecided.
    correct = models.BooleanField(null=True)
    #: What the file said; null = not said.
    correct_in_file = models.BooleanField(null=True)
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
    #: Named oddities of this row: score_out_of_range, label_score_disagree, duplicate_chunk ...
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
            models.UniqueConstraint(fields=["run", "key_hash"], name="one_query_per_key"),
        ]
        indexes = [
            models.Index(fields=["run", "position"], condition=models.Q(correct=False), name="failing_in_order"),
        ]

    def __str__(self) -> str:
        return self.key


class Retrieved(models.Model):
    """One candidate slot of a query, in rank order (rank 1 first)."""

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="retrieved")
    rank = models.IntegerField()
    chunk = models.ForeignKey(Chunk, on_delete=models.RESTRICT, related_name="retrieved")
    #: Retriever and reranker scores as given: any scale, never interpreted as a probability.
    score = models.FloatField(null=True)
    rerank_score = models.FloatField(null=True)
    in_context = models.BooleanField(default=True)
    tokens = models.IntegerField(null=True)

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

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="claims")
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

    class Meta:
        indexes = [models.Index(fields=["project", "evaluation_set", "version"], name="gold_by_set")]

    def __str__(self) -> str:
        return f"gold v{self.version} of {self.query_key}"
