"""Verb: log-in by the operator's own provider (OpenID Connect), where OIDC_ISSUER names one.

django-allauth speaks the protocol (discovery, state, PKCE, the exchange of the code); who somebody is is verified
here, and which account that is is decided here. allauth is an extra and is imported only when a log-in is begun.

    return begin(request, next_url="/", invitation="")     # -> the provider
    arrived = finish(request)                              # <- the provider: a verified identity
    user = account_for(arrived.identity, arrived.invitation)
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest, HttpResponse

from triage.core.identity import Identity, Refusal, RefusedError, check_admission

#: What failed attempts are counted under, by address. No account can have this name: it has blanks.
COUNTED_AS = "single sign-on"
#: What somebody tries who forges an answer. A person without an account is told so and counted nowhere.
COUNTED = frozenset({Refusal.UNPROVEN})

__all__ = ["COUNTED_AS", "Arrived", "account_for", "begin", "count_failure", "finish"]


@dataclass(frozen=True, slots=True)
class Arrived:
    """Who came back from the provider, where they wanted to go, and the invitation they had in hand."""

    identity: Identity
    next_url: str
    invitation: str


def begin(request: HttpRequest, next_url: str, invitation: str) -> HttpResponse:
    """Return the redirect to the provider. Raises RefusedError where it does not answer."""
    from triage.sign_on import provider

    return provider.leave(request, next_url, invitation)


def finish(request: HttpRequest) -> Arrived:
    """Verify what came back. Raises RefusedError."""
    from triage.sign_on import provider

    identity, state = provider.come_back(request)
    check_admission(identity, settings.OIDC_DOMAINS, settings.OIDC_GROUPS)
    kept = state.get("data") or {}
    return Arrived(identity, str(state.get("next") or ""), str(kept.get("invitation") or ""))


def account_for(identity: Identity, invitation: str) -> User:
    """Return the account of this identity. Raises RefusedError where there is none and none may be made."""
    from triage.sign_on import accounts

    return accounts.account_for(identity, invitation, settings.OIDC_ADMIT_TO)


def count_failure(request: HttpRequest, refusal: RefusedError) -> None:
    """Count a forged answer as a wrong password of this address is counted."""
    if refusal.reason in COUNTED:
        user_login_failed.send(sender=__name__, credentials={"username": COUNTED_AS}, request=request)
