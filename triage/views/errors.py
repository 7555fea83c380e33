"""Pages for what went wrong: one sentence and what to do."""

from __future__ import annotations

import sys
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from triage.core.problem import MEDIA_TYPE, TYPE, Problem

#: A database that is restarted is back within seconds.
RETRY_AFTER_S = 5


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say that the form was stale; the typed text stays in the page behind the Back button."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Say that the server failed; or, where only the database is away or full, that it will be back soon (503).

    The page asks the database for nothing, not even who is logged in.
    """
    is_away = isinstance(sys.exception(), OperationalError | InterfaceError)
    headers = {"Retry-After": str(RETRY_AFTER_S)} if is_away else {}
    if request.path.startswith("/api/"):
        return _problem(request, 503 if is_away else 500, headers)
    if is_away:
        return HttpResponse(render_to_string("503.html"), status=503, headers=headers)
    return HttpResponse(render_to_string("500.html"), status=500)


def _problem(request: HttpRequest, status: int, headers: dict[str, str]) -> HttpResponse:
    """Tell a program what a person reads on the page."""
    code, detail = {
        500: ("failed", "The server failed; what happened is in its log."),
        503: ("away", "The database is away for a moment."),
    }[status]
    problem = Problem(
        type=TYPE + code,
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=request.path,
        remedy="Ask again later.",
    )
    return HttpResponse(problem.model_dump_json(), status=status, content_type=MEDIA_TYPE, headers=headers)
