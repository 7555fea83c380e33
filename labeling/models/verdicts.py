"""What people said. Append-only: a change, an undo and an adjudication are rows of their own."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from labeling.models.sessions import SessionItem
from triage.core.labels import CODEBOOK_VERSION, VERDICT_LABELS, Support
from triage.core.review import VerdictLine
from triage.models import Chunk, Claim, Member, Project, Query, Role, Run


class Stage(models.TextChoices):
    """How a verdict came about."""

    FIRST = "first"
    REVISED = "revised"
    ADJUDICATED = "adjudicated"
    BULK = "bulk"
    IMPORTED = "imported"
    #: Given in a calibration round, on an item whose final verdict was known: practice, it counts for nothing.
    ROUND = "round"


class Verdicts(models.QuerySet["Verdict"]):
    """Verdicts by the query they are on."""

    def history(self, query_id: int) -> Self:
        """Return every verdict on the query, the newest first."""
        return self.filter(query=query_id).select_related("reviewer").order_by("-pk")

    def standing(self, run: Run, after: int = 0) -> Self:
        """Return the verdicts on a run's queries that stand now, the oldest first, those after a key."""
        stands = self.filter(query__run=run, is_current=True, withdrawn=False, pk__gt=after)
        return stands.select_related("query").order_by("pk")

    def may_be_seen_by(self, query_id: int, user_id: int) -> bool:
        """Say whether this person may read others' verdicts on the query: leads may, others after their own."""
        leads = Member.objects.filter(project__runs__queries=query_id, user=user_id, role__in=Role.at_least(Role.LEAD))
        own = self.filter(query=query_id, reviewer=user_id, withdrawn=False)
        return own.exists() or leads.exists()

    def places_spoken_on(self, project_id: int, user_id: int) -> set[tuple[str, int]]:
        """Return run key and position of every query of the project that this person has given a verdict on."""
        own = self.filter(query__run__project=project_id, reviewer=user_id, withdrawn=False)
        return set(own.values_list("query__run__key", "query__position"))


class Verdict(models.Model):
    """One person's word on a query. The current one per person counts; `withdrawn` rows are undone saves."""

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="verdicts")
    item = models.ForeignKey(SessionItem, null=True, on_delete=models.SET_NULL, related_name="verdicts")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="verdicts", db_index=False
    )
    #: Key of a reviewer who came with a file; blank for members.
    imported_reviewer = models.CharField(max_length=200, blank=True)
    #: Blank = a note without a label.
    label = models.CharField(max_length=24, blank=True, choices=[(str(label), str(label)) for label in VERDICT_LABELS])
    sub_cause = models.CharField(max_length=40, blank=True)
    note = models.TextField(blank=True)
    stage = models.CharField(max_length=11, choices=Stage.choices, default=Stage.FIRST)
    #: Nothing the machine said was on the page when it was given.
    blind = models.BooleanField()
    #: random / chosen / all, as the session or the file says: decides what the statistics may use.
    drawn = models.CharField(max_length=6, blank=True)
    is_current = models.BooleanField(default=True)
    withdrawn = models.BooleanField(default=False)
    codebook_version = models.IntegerField(default=CODEBOOK_VERSION)
    gold_version = models.IntegerField(default=1)
    policy_fingerprint = models.CharField(max_length=8, blank=True)
    #: The machine's label at the time: what "kept" or "changed" refers to.
    suggested = models.CharField(max_length=24, blank=True)
    #: Seconds between taking the seat and the save, by the database's clock.
    seconds = models.FloatField(null=True)
    #: The label and the reviewer's own claim marks disagreed, and the reviewer insisted.
    conflicts = models.BooleanField(default=False)
    #: Made by the page; the same save twice is one row.
    idempotency_key = models.UUIDField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Verdicts.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query", "reviewer"],
                condition=models.Q(is_current=True, reviewer__isnull=False) & ~models.Q(stage="adjudicated"),
                name="one_current_verdict_per_reviewer",
            ),
            models.UniqueConstraint(
                fields=["query", "imported_reviewer"],
                condition=models.Q(is_current=True, stage="imported"),
                name="one_current_verdict_per_imported_reviewer",
            ),
            models.UniqueConstraint(
                fields=["query"],
                condition=models.Q(is_current=True, stage="adjudicated"),
                name="one_current_adjudication",
            ),
            models.CheckConstraint(
                condition=models.Q(label__in=["", *(str(label) for label in VERDICT_LABELS)]),
                name="verdict_label_known",
            ),
        ]
        indexes = [models.Index(fields=["reviewer", "-id"], name="reviewer_newest_first")]

    def __str__(self) -> str:
        return f"{self.label or 'note'} on query {self.query_id}"

    def as_line(self) -> VerdictLine:
        """Return the verdict as a line of its query's history."""
        member = self.reviewer.get_username() if self.reviewer else "a former member"
        return VerdictLine(
            given_at=self.created_at,
            reviewer=self.imported_reviewer or member,
            label=self.label,
            sub_cause=self.sub_cause,
            note=self.note,
            stage=self.stage,
            is_blind=self.blind,
            stands=self.is_current and not self.withdrawn,
        )


class Outcome(models.Model):
    """What the verdicts of a query come to (calibration.md section 1); rebuilt by one function after each save."""

    class State(models.TextChoices):
        """Whether people have decided."""

        INCOMPLETE = "incomplete"
        NEEDS_ADJUDICATION = "needs_adjudication"
        FINAL = "final"

    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="outcome", primary_key=True)
    state = models.CharField(max_length=18, choices=State.choices)
    #: Blank unless final.
    label = models.CharField(max_length=24, blank=True)
    sub_cause = models.CharField(max_length=40, blank=True)
    verdicts = models.IntegerField()
    settled_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.label or self.state


class ClaimVerdict(models.Model):
    """One person's word on one claim, with the chunk and span it rests on where picked."""

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="verdicts")
    #: The save this mark came with; null for imported marks. Undoing the save withdraws the mark.
    verdict = models.ForeignKey(Verdict, null=True, on_delete=models.CASCADE, related_name="claim_verdicts")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="claim_verdicts"
    )
    imported_reviewer = models.CharField(max_length=200, blank=True)
    label = models.CharField(max_length=12, choices=[(label.value, label.value) for label in Support])
    chunk = models.ForeignKey(Chunk, null=True, on_delete=models.SET_NULL, related_name="claim_verdicts")
    evidence_start = models.IntegerField(null=True)
    evidence_end = models.IntegerField(null=True)
    stage = models.CharField(max_length=11, choices=Stage.choices, default=Stage.FIRST)
    blind = models.BooleanField()
    is_current = models.BooleanField(default=True)
    withdrawn = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            # A member has one current word per claim; an imported reviewer one per claim and chunk (files tell
            # them pair by pair). Null chunks count as equal.
            models.UniqueConstraint(
                fields=["claim", "reviewer"],
                condition=models.Q(is_current=True, reviewer__isnull=False),
                name="one_current_claim_verdict",
            ),
            models.UniqueConstraint(
                fields=["claim", "chunk", "imported_reviewer"],
                condition=models.Q(is_current=True, reviewer__isnull=True),
                nulls_distinct=False,
                name="one_current_imported_claim_verdict",
            ),
            models.CheckConstraint(
                condition=models.Q(label__in=[label.value for label in Support]), name="claim_verdict_label_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label} on claim {self.claim_id}"


class GoldChallenges(models.QuerySet["GoldChallenge"]):
    """Challenges by project."""

    def listed(self, project: Project) -> Self:
        """Return the challenges of a project, open ones first, then the newest, with what a list shows."""
        rows = self.filter(query__run__in=project.runs.all()).select_related("query__run", "raised_by", "decided_by")
        return rows.order_by(models.Case(models.When(state="open", then=0), default=1), "-pk")


class GoldChallenge(models.Model):
    """Somebody says the gold is wrong; a second person decides; acceptance makes a new gold version."""

    class Kind(models.TextChoices):
        """What is wrong with the gold."""

        WRONG_CHUNK = "wrong_chunk"
        MISSING_CHUNK = "missing_chunk"
        WRONG_REFERENCE = "wrong_reference"
        AMBIGUOUS_QUESTION = "ambiguous_question"
        SHOULD_BE_UNANSWERABLE = "should_be_unanswerable"

    class State(models.TextChoices):
        """Where the challenge is."""

        OPEN = "open"
        ACCEPTED = "accepted"
        REJECTED = "rejected"

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="gold_challenges")
    kind = models.CharField(max_length=22, choices=Kind.choices)
    #: {add: [chunk keys], remove: [chunk keys], reference: text or null}
    proposal = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    raised_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    #: Who raised it, where it came with a file; blank for members.
    imported_reviewer = models.CharField(max_length=200, blank=True)
    raised_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    #: The gold version an acceptance made.
    gold_version = models.IntegerField(null=True)

    objects = GoldChallenges.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} on query {self.query_id}"
