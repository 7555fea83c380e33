"""What stands before every view."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase


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
