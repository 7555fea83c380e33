"""What went wrong, the same way everywhere (RFC 9457): `application/problem+json` with a code, a sentence, a remedy."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from triage.core.problem import MEDIA_TYPE, TYPE, Problem
from triage.formats import FileError

log = logging.getLogger(__name__)


class ProblemError(Exception):
    """Ends a request with a problem."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        remedy: str = "",
        field: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.remedy, self.field = status, code, detail, remedy, field
        self.retry_after_s = retry_after_s


def respond(request: HttpRequest, error: ProblemError) -> HttpResponse:
    """Return the problem as a response."""
    problem = Problem(
        type=TYPE + error.code,
        title=HTTPStatus(error.status).phrase,
        status=error.status,
        detail=error.detail,
        instance=request.path,
        field=error.field or None,
        remedy=error.remedy or None,
    )
    response = HttpResponse(problem.model_dump_json(), status=error.status, content_type=MEDIA_TYPE)
    if error.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="rag-triage"'
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_s)))
    return response


def not_there(request: HttpRequest, _fault: object = None) -> HttpResponse:
    """Answer 404: nothing there, or nothing for this token."""
    remedy = "Look the address up in docs/api.md; a token sees its own project only."
    return respond(request, ProblemError(404, "not_found", "There is nothing at this address for you.", remedy=remedy))


def _refused(request: HttpRequest, fault: PermissionDenied) -> HttpResponse:
    remedy = "The token does what its maker may do now: let a member with that role make one."
    return respond(request, ProblemError(403, "role", str(fault), remedy=remedy))


def _invalid(request: HttpRequest, fault: ValidationError) -> HttpResponse:
    first: dict[str, Any] = fault.errors[0]
    field = ".".join(str(part) for part in first["loc"])
    detail = f"{field}: {first['msg']}"
    return respond(request, ProblemError(422, "invalid", detail, field=field, remedy="Correct it and ask again."))


def _unreadable(request: HttpRequest, fault: HttpError) -> HttpResponse:
    return respond(
        request,
        ProblemError(
            fault.status_code, "unreadable", str(fault), field="body", remedy="Send one JSON object in UTF-8."
        ),
    )


def _bad_file(request: HttpRequest, fault: FileError) -> HttpResponse:
    status = {"too_large": 413, "no_space": 507}.get(fault.code, 422)
    return respond(request, ProblemError(status, fault.code, str(fault), field="body", remedy=fault.remedy))


def _too_large(request: HttpRequest, _fault: RequestDataTooBig) -> HttpResponse:
    remedy = "Send less at once."
    return respond(request, ProblemError(413, "too_large", "The body is too large.", field="body", remedy=remedy))


def _cut_off(request: HttpRequest, fault: UnreadablePostError) -> HttpResponse:
    log.info("a body was cut off: %.200r", fault)
    remedy = "Send it again."
    return respond(request, ProblemError(400, "cut_off", "The body ended early.", field="body", remedy=remedy))


def handle_problems(api: NinjaAPI) -> None:
    """Let every fault the API foresees end as a problem; what it does not foresee stays a logged 500."""
    handlers: Sequence[tuple[type[Exception], Callable[[HttpRequest, Any], HttpResponse]]] = (
        (ProblemError, respond),
        (Http404, not_there),
        (PermissionDenied, _refused),
        (ValidationError, _invalid),
        (HttpError, _unreadable),
        (FileError, _bad_file),
        (RequestDataTooBig, _too_large),
        (UnreadablePostError, _cut_off),
    )
    for kind, handler in handlers:
        api.add_exception_handler(kind, handler)
