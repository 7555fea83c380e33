"""The desk between a program that waits and the worker that has the judges: questions go over it, nothing is stored.

A web process may not load a model (its memory is counted), so it leaves a note in Redis, wakes a worker and waits.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models.functions import Now

from triage import mailbox
from triage.core.grounding import GroundingRequest
from triage.ground.checker import Checker
from triage.judges.panel import Panel
from triage.judges.roster import open_panel
from triage.judges.setups import read_setups
from triage.models import Project, WorkerHeartbeat

log = logging.getLogger(__name__)
#: Threads of one process that wait for a worker at a time: the others go on serving pages.
_seats = threading.BoundedSemaphore(settings.GROUND_AT_ONCE)


class NobodyError(Exception):
    """No answer now; what to say of it, and when to ask again."""

    def __init__(self, words: str, retry_after_s: float) -> None:
        super().__init__(words)
        self.retry_after_s = retry_after_s


def ask(project: Project, requests: Sequence[GroundingRequest], wake: Callable[[str], bool]) -> list[dict[str, Any]]:
    """Return the word on each answer, by a worker that `wake` calls with a ticket. Raises NobodyError."""
    if not WorkerHeartbeat.objects.filter(seen_at__gte=Now() - timedelta(seconds=settings.WORKER_AWAY_S)).exists():
        raise NobodyError("No worker is alive.", settings.WORKER_SLOW_S)
    with _seat():
        try:
            told = _asked(project, requests, wake)
        except mailbox.AwayError as fault:
            log.warning("nobody can be asked: %.200r", fault)
            raise NobodyError("The queue does not answer.", 5) from fault
    if told is None:
        raise NobodyError(f"No worker answered within {settings.GROUND_WAIT_S} s: all are busy.", 5)
    if "fault" in told:
        raise NobodyError(f"The judge failed: {told['fault']}", 60)
    found: list[dict[str, Any]] = told["checked"]
    return found


def _asked(
    project: Project, requests: Sequence[GroundingRequest], wake: Callable[[str], bool]
) -> dict[str, Any] | None:
    asked = [request.model_dump(mode="json") for request in requests]
    ticket = mailbox.put({"project": project.pk, "requests": asked}, settings.GROUND_WAIT_S)
    if not wake(ticket):
        raise mailbox.AwayError("the task could not be queued")
    return mailbox.wait_for(ticket, settings.GROUND_WAIT_S)


@contextmanager
def _seat() -> Iterator[None]:
    if not _seats.acquire(blocking=False):
        raise NobodyError("Too many checks wait already.", 1)
    try:
        yield
    finally:
        _seats.release()


def serve(ticket: str) -> bool:
    """Answer a ticket. False = it was answered, or whoever asked has given up: nothing is done twice."""
    note = mailbox.take(ticket)
    if note is None:
        return False
    mailbox.reply(ticket, _answer(note))
    return True


def _answer(note: dict[str, Any]) -> dict[str, Any]:
    """Return the words on each answer; whatever a judge raises is told to whoever waits, and written down."""
    try:
        project = Project.objects.get(pk=note["project"])
        checker = Checker(project, _panel(tuple(project.judge_order)))
        return {"checked": [checker.check(GroundingRequest(**one)).as_json() for one in note["requests"]]}
    except Exception as fault:  # a judge may be anybody's code: the caller must not wait for nothing
        log.exception("a check failed")
        return {"fault": type(fault).__name__}


@lru_cache(maxsize=8)
def _panel(order: tuple[str, ...]) -> Panel:
    """Return opened judges; kept, because opening them takes longer than asking."""
    return open_panel(order, read_setups(settings.JUDGES))
