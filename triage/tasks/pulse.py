"""The pulse of the workers as rows, by the database's clock: the light on every page reads the newest."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from celery.signals import heartbeat_sent, worker_shutdown
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from triage.models import WorkerHeartbeat

if TYPE_CHECKING:
    from celery.apps.worker import Worker
    from celery.worker.heartbeat import Heart

log = logging.getLogger(__name__)
#: A worker's own heart beats every 2 s; a row every 10 s is enough.
EVERY_S = 10.0

_last_beat: dict[str, float] = {}


def beat(name: str, doing: str = "") -> None:
    """Write that this worker lives and what it is doing."""
    WorkerHeartbeat.objects.bulk_create(
        [WorkerHeartbeat(name=name[:200], seen_at=Now(), doing=doing[:200])],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["seen_at", "doing"],
    )


def stop(name: str) -> None:
    """Take the worker's row away: it said good-bye, and beats at once when it comes back."""
    _last_beat.pop(name, None)
    WorkerHeartbeat.objects.filter(name=name[:200]).delete()


@heartbeat_sent.connect
def _on_heartbeat(sender: Heart, **_: object) -> None:
    """Beat at most every `EVERY_S`. Runs in the worker's main process, whatever its children are doing."""
    name = sender.eventer.hostname
    now = time.monotonic()
    if now - _last_beat.get(name, float("-inf")) < EVERY_S:
        return
    _last_beat[name] = now
    from celery.worker.state import active_requests  # only a worker loads the worker's code

    doing = ", ".join(sorted({request.name.removeprefix("triage.") for request in active_requests}))
    try:
        beat(name, doing)
    except DatabaseError as fault:
        log.warning("no pulse: %.300r", fault)
    finally:
        connection.close()  # the pool's children are forked from this process: they must find no open connection


@worker_shutdown.connect
def _on_shutdown(sender: Worker, **_: object) -> None:
    try:
        stop(sender.hostname)
    except DatabaseError as fault:
        log.warning("no good-bye: %.300r", fault)
    finally:
        connection.close()
