"""The API's door: a token with the right scope, its maker's role, and not too many calls. Cookies open nothing here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from ninja.security import HttpBearer

from triage import mailbox
from triage.api.problems import ProblemError, respond
from triage.models import ApiToken, Scope
from triage.tokens import opened

log = logging.getLogger(__name__)
#: Wrong secrets one address may try.
WRONG_PER_MINUTE, WRONG_BURST = 60, 20
METHODS = ("GET", "POST", "DELETE")


class Bearer(HttpBearer):
    """Takes `Authorization: Bearer ragt_...` of a token that has one of these scopes; none named = any token."""

    def __init__(self, *scopes: Scope) -> None:
        super().__init__()
        self.scopes = scopes

    def __call__(self, request: HttpRequest) -> ApiToken:
        """Return the token. Raises ProblemError: 401 without a good one, 403 without the scope, 429 too often."""
        token: ApiToken | None = super().__call__(request)
        if token is None:
            _count(f"wrong:{request.META.get('REMOTE_ADDR', '')}", WRONG_PER_MINUTE, WRONG_BURST)
            raise ProblemError(
                401, "token", "This needs a token: none came, or it is unknown, expired or revoked.", remedy=_HOW
            )
        _count(f"token:{token.pk}", settings.API_CALLS_PER_MINUTE, settings.API_BURST)
        if self.scopes and not set(self.scopes) & set(token.scopes):
            words = " or ".join(self.scopes)
            raise ProblemError(403, "scope", f"This needs a token with the scope {words}.", remedy=_HOW)
        return token

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Open the door as the token's maker, within the token's project."""
        found = opened(token)
        if found is not None:
            request.user, request.api_token = found.made_by, found  # type: ignore[attr-defined]
        return found


_HOW = "Make one on the project's page Members, Tokens, and send it as `Authorization: Bearer ragt_...`."


def _count(bucket: str, per_minute: int, burst: int) -> None:
    """Refuse what comes too often. Where Redis is away nothing is counted: reading goes on."""
    try:
        wait_s = mailbox.spend(bucket, per_minute, burst)
    except mailbox.AwayError as fault:
        log.warning("calls are not counted: %.200r", fault)
        return
    if wait_s:
        words = f"Too many calls: at most {per_minute} a minute."
        raise ProblemError(429, "too_many", words, remedy="Wait as long as Retry-After says.", retry_after_s=wait_s)


def at_the_door(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view as an address of the API: no log-in, no cookie, no caching, and 405 as a problem."""

    @wraps(view)
    def entered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code == 405:
            allowed = response.headers.get("Allow", "")
            error = ProblemError(405, "method", f"{request.method} is not done here.", remedy=f"Use {allowed}.")
            response = respond(request, error)
            response.headers["Allow"] = allowed
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    entered.login_required = False  # type: ignore[attr-defined]  # the token is the key
    return csrf_exempt(entered)
