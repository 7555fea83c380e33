"""Who is to review what: a session draws items from a run, a lease is one wanted verdict and who is at it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from triage.models import Query, Run
from triage.models.keys import new_key
from triage.models.prepared import Columns, prepared


class ReviewSession(models.Model):
    """A draw of queries for people to read. How it was drawn decides what the statistics may use."""

    class Drawn(models.TextChoices):
        """How the items came in."""

        RANDOM = "random"
        CHOSEN = "chosen"
        ALL = "all"

    class Population(models.TextChoices):
        """Which queries the draw is from."""

        FAILING = "failing"
        PASSING = "passing"
        #: Not decided by the file: answers brought in to be read by people first.
        UNDECIDED = "undecided"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="sessions")
    key = models.CharField(max_length=10, unique=True, default=new_key)
    name = models.CharField(max_length=200)
    population = models.CharField(max_length=9, choices=Population.choices, default=Population.FAILING)
    drawn = models.CharField(max_length=6, choices=Drawn.choices)
    #: The frame: {filter: {...}, policy, gold_version, seed}. An empty filter feeds the run's estimate.
    frame = models.JSONField(default=dict)
    #: stratum (automatic label at the draw, `unscored` by its would_be) -> size N_a in the frame.
    strata = models.JSONField(default=dict)
    overlap = models.IntegerField(default=1)
    blind_share = models.FloatField(default=1.0)
    guidelines = models.TextField(blank=True)
    due_at = models.DateTimeField(null=True)
    #: Empty = every reviewer of the project.
    reviewers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="review_sessions")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    #: The session `review` makes by itself for a run whose lead made none: all failing queries, in file order.
    is_default = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=models.Q(is_default=True), name="one_default_session_per_run"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_round(self) -> bool:
        """Say whether this is a calibration round: practice on items whose final verdict is known."""
        return bool(self.frame.get("how") == "round")


#: What a card shows of a query; whoever asks for more reads it then.
CASE_COLUMNS = Columns(
    Query,
    "query",
    *("id", "run", "position", "key", "question", "answer", "reference", "answerable", "retrieval_known", "gold"),
    *("conversation", "slices", "context_tokens", "meta"),
)
CASE = f"SELECT {CASE_COLUMNS.sql} FROM triage_query AS query WHERE query.id = %s"  # noqa: S608 - our own columns


class SessionItem(models.Model):
    """One query of a session. Its stratum stays that of the draw whatever is re-scored later."""

    session = models.ForeignKey(ReviewSession, on_delete=models.CASCADE, related_name="items", db_index=False)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="session_items")
    position = models.IntegerField()
    stratum = models.CharField(max_length=24, blank=True)
    #: Probability with which the draw took this item; 1 for `all`, null for `chosen`.
    inclusion = models.FloatField(null=True)
    #: In a blind item nothing the machine said is shown before the first save.
    blind = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "query"], name="query_once_per_session"),
            models.UniqueConstraint(fields=["session", "position"], name="one_item_per_position"),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of session {self.session_id}"

    def case(self) -> Query:
        """Return the query with the run of the session beside it: the run is at hand, it is not read again."""
        if not SessionItem.query.is_cached(self):
            with prepared() as cursor:
                cursor.execute(CASE, [self.query_id])
                self.query = CASE_COLUMNS.object(cursor.fetchone())
        self.query.run = self.session.run
        return self.query


class Lease(models.Model):
    """One wanted verdict of an item (seat 1..overlap), who has it and until when. Overlap is the number of seats."""

    class State(models.TextChoices):
        """What became of the seat."""

        FREE = "free"
        TAKEN = "taken"
        DONE = "done"

    item = models.ForeignKey(SessionItem, on_delete=models.CASCADE, related_name="leases", db_index=False)
    #: Copies of the item's session and position: the queue's one index.
    session = models.ForeignKey(ReviewSession, on_delete=models.CASCADE, related_name="leases")
    position = models.IntegerField()
    seat = models.IntegerField()
    state = models.CharField(max_length=5, choices=State.choices, default=State.FREE)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="leases", db_index=False
    )
    token = models.UUIDField(null=True)
    taken_at = models.DateTimeField(null=True)
    #: By the database's clock. A taken seat past this time is free again.
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "seat"], name="one_row_per_seat"),
            models.UniqueConstraint(
                fields=["item", "reviewer"],
                condition=models.Q(reviewer__isnull=False),
                name="reviewer_has_one_seat_per_item",
            ),
        ]
        indexes = [
            models.Index(
                fields=["session", "position", "seat"],
                condition=models.Q(state__in=["free", "taken"]),
                name="open_seats_in_order",
            ),
            models.Index(fields=["reviewer", "session", "state", "position"], name="own_seats_in_order"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of item {self.item_id}"


class Skip(models.Model):
    """A reviewer sent an item on, and why. They do not get it again unless they ask for their skipped items."""

    item = models.ForeignKey(SessionItem, on_delete=models.CASCADE, related_name="skips")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="skips")
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    #: Set when the reviewer took it back; the row stays as history.
    requeued_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "reviewer"],
                condition=models.Q(requeued_at__isnull=True),
                name="one_open_skip_per_reviewer",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.item_id} skipped"
