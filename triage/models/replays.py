"""Answers to requests that must count once: a program that asks again gets the first answer again."""

from __future__ import annotations

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

from triage.models.tokens import ApiToken

#: How long an answer is kept.
KEPT = timedelta(days=1)


class Replays(models.QuerySet["Replay"]):
    """Kept answers by age."""

    def old(self) -> Self:
        """Return the answers nobody will ask for again."""
        return self.filter(created_at__lt=Now() - KEPT)


class Replay(models.Model):
    """The answer given to a token's request of one Idempotency-Key."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="replays")
    key = models.CharField(max_length=200)
    #: sha256 over method, path and body: the same key for another request is a mistake.
    request_hash = models.CharField(max_length=64)
    status = models.IntegerField(default=0)
    body = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Replays.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="one_answer_per_idempotency_key")]
        indexes = [models.Index(fields=["created_at"], name="replays_by_age")]

    def __str__(self) -> str:
        return f"answer {self.status} to {self.key}"
