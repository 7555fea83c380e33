"""Whether the worker still hears the queue: one that lives, has nothing to do, and lets messages lie is deaf.

Older brokers' clients were known to go deaf after a lost connection, and a process can be stopped from outside. No
heartbeat shows it; the messages that lie there do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.db import Error, connection
from django.db.models.functions import Now
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from triage.models import WorkerHeartbeat

QUEUE = "celery"
LOOK_EVERY_S = 5.0


class Ears:
    """Looks now and then; says True once messages have lain for `patience_s` before workers that had nothing to do."""

    def __init__(self, patience_s: float, waiting: Callable[[], int], is_busy: Callable[[], bool]) -> None:
        self._patience_s, self._waiting, self._is_busy = patience_s, waiting, is_busy
        self._deaf_since: float | None = None
        self._next_look = 0.0

    def are_deaf(self, now: float | None = None) -> bool:
        """Look, at most every few seconds. True is said once; then the count begins anew."""
        now = time.monotonic() if now is None else now
        if now < self._next_look:
            return False
        self._next_look = now + LOOK_EVERY_S
        if not self._waiting() or self._is_busy():
            self._deaf_since = None
            return False
        if self._deaf_since is None:
            self._deaf_since = now
        if now - self._deaf_since < self._patience_s:
            return False
        self._deaf_since = None
        return True


def messages_waiting() -> int:
    """Return how many messages lie in the queue; 0 where it does not answer: that is another's trouble."""
    try:
        with current_app.connection_for_read() as line:
            return int(line.default_channel.client.llen(QUEUE))
    except (OperationalError, OSError, RedisError):
        return 0


def workers_are_busy() -> bool:
    """Say whether a worker that was seen lately is doing something, or none can be asked about."""
    recent = Now() - timedelta(seconds=settings.WORKER_SLOW_S)
    try:
        return WorkerHeartbeat.objects.filter(seen_at__gte=recent).exclude(doing="").exists()
    except Error:
        return True
    finally:
        connection.close()
