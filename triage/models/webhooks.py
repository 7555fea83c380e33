"""Where a project's messages go, and each message on its way there. The rows are the truth: no queue has to last."""

from __future__ import annotations

from datetime import timedelta
from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from triage.models.keys import new_key
from triage.models.projects import Project

#: How long a message that has ended is listed.
KEPT = timedelta(days=30)
#: Messages the page lists, the newest first.
LISTED = 30


class Event(models.TextChoices):
    """What a message may be about."""

    RUN_FINISHED = "run_finished", "A run is finished: classified, or failed"
    GATE_FAILED = "gate_failed", "A finished run fails a gate"
    SESSION_DONE = "session_done", "A review session is done: every verdict given, or closed"
    DUE = "due", "Something is newly due, at most once a day"
    TEST = "test", "A test from the page"

    @classmethod
    def to_choose(cls) -> list[tuple[str, str]]:
        """Return the kinds a webhook may ask for; a test needs no asking."""
        return [choice for choice in cls.choices if choice[0] != cls.TEST]


class Webhooks(models.QuerySet["Webhook"]):
    """Webhooks by what they are told."""

    def wanting(self, project_id: int, kind: str) -> Self:
        """Return the project's enabled webhooks that asked for this kind."""
        return self.filter(project=project_id, kinds__contains=[kind], disabled_at__isnull=True)

    def for_webhooks_page(self, project: Project) -> Self:
        """Return the project's webhooks, the newest first, their makers beside them."""
        return self.filter(project=project).select_related("made_by").order_by("-pk")


class Webhook(models.Model):
    """One address that is told of a project's events. Its secret is derived from SECRET_KEY and `key`, never stored."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="webhooks")
    key = models.CharField(max_length=10, unique=True, default=new_key)
    url = models.CharField(max_length=2_000)
    kinds = ArrayField(models.CharField(max_length=20, choices=Event.to_choose()))
    #: Which SECRET_KEY the secret was made with: a digest of it, so that a rotated key is still found.
    key_mark = models.CharField(max_length=16)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    disabled_at = models.DateTimeField(null=True)

    objects = Webhooks.as_manager()

    def __str__(self) -> str:
        return f"webhook {self.key}"


class Messages(models.QuerySet["Message"]):
    """Messages by what is left to do."""

    def due(self) -> Self:
        """Return the oldest message to try now of each enabled webhook: a dead receiver holds up no other."""
        waiting = self.filter(
            state=Message.State.WAITING, next_attempt_at__lte=Now(), webhook__disabled_at__isnull=True
        )
        return waiting.order_by("webhook", "next_attempt_at", "pk").distinct("webhook")

    def old(self) -> Self:
        """Return the messages that ended long ago."""
        return self.filter(created_at__lt=Now() - KEPT).exclude(state=Message.State.WAITING)

    def of(self, project: Project) -> Self:
        """Return the messages to this project's webhooks."""
        return self.filter(webhook__project=project)

    def for_webhooks_page(self, project: Project) -> Self:
        """Return the project's newest messages, their webhooks beside them; their bodies stay where they are."""
        listed = self.of(project).select_related("webhook").defer("body")
        return listed.order_by("-pk")[:LISTED]


class Message(models.Model):
    """One event on its way to one webhook."""

    class State(models.TextChoices):
        """What became of it."""

        WAITING = "waiting"
        DELIVERED = "delivered"
        #: Refused, or tried as often as a message is: it stays so until an owner sends it again.
        GIVEN_UP = "given_up", "Given up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="messages")
    kind = models.CharField(max_length=20, choices=Event.choices)
    #: The same at every attempt; made of the webhook and the event, so that an event that is told twice is one row.
    message_id = models.CharField(max_length=60)
    #: Key of the run it tells of, so that a deleted run leaves nothing; blank = of no run alone.
    run_key = models.CharField(max_length=10, blank=True)
    #: The JSON exactly as it is signed and sent; emptied once delivered.
    body = models.TextField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.IntegerField(default=0)
    last_error = models.CharField(max_length=300, blank=True)
    next_attempt_at = models.DateTimeField(db_default=Now())
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    objects = Messages.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["webhook", "message_id"], name="one_row_per_message")]
        indexes = [
            models.Index(
                fields=["webhook", "next_attempt_at"], condition=models.Q(state="waiting"), name="messages_to_try"
            ),
            models.Index(fields=["created_at"], name="messages_by_age"),
            models.Index(fields=["run_key"], name="messages_of_a_run"),
        ]

    def __str__(self) -> str:
        return f"{self.message_id} {self.state}"
