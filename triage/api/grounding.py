"""Is this answer grounded in these passages, now? Asked of a worker; nothing is stored."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router

from triage import access
from triage.api.building import endpoint
from triage.api.problems import ProblemError
from triage.api.shapes import ChecksRequest, ChecksShape, Slug
from triage.core.grounding import Checked, GroundingRequest
from triage.ground import NobodyError
from triage.models import Project, Scope
from triage.tasks.grounding import ask_worker

router = Router(tags=["grounding"])


@endpoint(router, "post", "/projects/{slug}/check-grounding", Scope.GROUND, gives=Checked, errors=(400, 413, 503))
def check_grounding(request: HttpRequest, slug: Slug, body: GroundingRequest) -> dict[str, Any]:
    """Check one answer: its claims with verdicts, and allow, flag or block by the project's policy.

    `calibrated` is false, and the caveat says so, until the judge was compared with enough human labels here.
    """
    return _asked(access.project(request, slug), [body])[0]


@endpoint(
    router, "post", "/projects/{slug}/check-grounding/batch", Scope.GROUND, gives=ChecksShape, errors=(400, 413, 503)
)
def check_grounding_batch(request: HttpRequest, slug: Slug, body: ChecksRequest) -> dict[str, Any]:
    """Check several answers at once, in order."""
    return {"items": _asked(access.project(request, slug), body.items)}


def _asked(project: Project, requests: list[GroundingRequest]) -> list[dict[str, Any]]:
    try:
        return ask_worker(project, requests)
    except NobodyError as fault:
        remedy = "Ask again after Retry-After; the answer is not checked, so do not take it as allowed."
        raise ProblemError(503, "nobody", str(fault), remedy=remedy, retry_after_s=fault.retry_after_s) from fault
