"""The door of the operator's own provider. Without OIDC_ISSUER there are no such pages."""

from __future__ import annotations

import logging

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET

from triage.core.identity import WORDS, Refusal, RefusedError
from triage.sign_on import COUNTED_AS, account_for, begin, count_failure, finish
from triage.views.people import locked_out

log = logging.getLogger(__name__)
#: What a browser is told of a refusal: the provider's fault, or the person's.
STATUS = {Refusal.UNREACHABLE: 502, Refusal.STALE: 400, Refusal.CANCELLED: 400}


@login_not_required
@require_GET
def sign_on(request: HttpRequest) -> HttpResponse:
    """Send somebody to the provider, with the page they wanted and the invitation they have."""
    if waiting := _closed(request):
        return waiting
    try:
        return begin(request, request.GET.get("next", ""), request.GET.get("invitation", ""))
    except RefusedError as refusal:
        return _refused(request, refusal)


@login_not_required
@require_GET
def sign_on_return(request: HttpRequest) -> HttpResponse:
    """Let in who comes back with a proof and has an account, an invitation or the operator's word."""
    if waiting := _closed(request):
        return waiting
    try:
        arrived = finish(request)
        user = account_for(arrived.identity, arrived.invitation)
    except RefusedError as refusal:
        count_failure(request, refusal)
        return _refused(request, refusal)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    is_here = url_has_allowed_host_and_scheme(arrived.next_url, {request.get_host()}, request.is_secure())
    return redirect(arrived.next_url if is_here else "home")


def _closed(request: HttpRequest) -> HttpResponse | None:
    """Return why nobody gets in by this door now: there is none, or this address has to wait."""
    if not settings.OIDC_ISSUER:
        raise Http404("There is no such page.")
    counted = {"username": COUNTED_AS}
    return None if AxesProxyHandler.is_allowed(request, counted) else locked_out(request, None, counted)


def _refused(request: HttpRequest, refusal: RefusedError) -> HttpResponse:
    """Say why, on the log-in page; the log gets the reason and nothing of the person."""
    log.warning("single sign-on refused", extra={"reason": refusal.reason.value})
    context = {"form": AuthenticationForm(request), "refused": WORDS[refusal.reason]}
    return render(request, "registration/login.html", context, status=STATUS.get(refusal.reason, 403))
