"""Checks of answers for programs that wait: a queue of their own, so that they do not stand behind whole runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from celery import shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from triage.core.grounding import GroundingRequest
from triage.ground import ask, serve
from triage.models import Project


@shared_task(name="triage.check_grounding", acks_late=False)
def check_grounding(ticket: str) -> None:
    """Answer whoever waits with this ticket. Nobody repeats it: whoever asked gives up and asks again."""
    serve(ticket)


def ask_worker(project: Project, requests: Sequence[GroundingRequest]) -> list[dict[str, Any]]:
    """Return a worker's word on each answer. Raises NobodyError."""
    return ask(project, requests, _wake)


def _wake(ticket: str) -> bool:
    try:
        check_grounding.apply_async((ticket,), expires=settings.GROUND_WAIT_S)
    except OperationalError:
        return False
    return True
