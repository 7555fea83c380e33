"""What stands before every view."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.middleware import AuthenticationMiddleware, LoginRequiredMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.functional import SimpleLazyObject

from triage.core.acting import Actor, Via, acting
from triage.sessions import account_of

API_PREFIX = "/api/"


class Known(AuthenticationMiddleware):
    """Says who asks: the account read together with the session, or whom Django finds where that is in doubt."""

    def process_request(self, request: HttpRequest) -> None:
        """Set `request.user`, looked up when it is first asked for."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _who(request))  # type: ignore[assignment]


def _who(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    """Return the account of the request's session, or nobody."""
    return account_of(request.session) or get_user(request)


class LoginRequired(LoginRequiredMiddleware):
    """Sends whoever is not logged in to the log-in page, but tells a part of an open page that the log-in is gone.

    A redirect would be followed silently and the log-in page swapped into the middle of what somebody is typing;
    with 401 the page keeps the text and offers the log-in in a new tab (static/js/base.js).
    """

    def handle_no_permission(  # type: ignore[override]  # the stubs know of a redirect only
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseBase:
        """Answer 401 to htmx, the redirect to everybody else."""
        if request.headers.get("HX-Request"):
            return HttpResponse("Log in again.", status=401, content_type="text/plain; charset=utf-8")
        return super().handle_no_permission(request, view_func)


class Acting:
    """Says who is acting while a request is answered. Asked only when something changes: reading costs nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request with its caller as the actor."""
        with acting(lambda: _caller(request)):
            return self._get_response(request)


def _caller(request: HttpRequest) -> Actor:
    """Return the request's user as they are at this moment; a token's user counts once the API has set it."""
    via = Via.API if request.path.startswith(API_PREFIX) else Via.PAGE
    match = request.resolver_match
    user_id = request.user.pk if request.user.is_authenticated else None
    return Actor(via, (match.url_name or "") if match else "", user_id, request.user.get_username())


class KeptNowhere:
    """Lets no browser and no proxy keep an answer: after a log-out, Back shows the log-in and nobody's texts.

    What says how it may be kept (static files, sent before this) stays as it is.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with `Cache-Control: no-store`."""
        response = self._get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
