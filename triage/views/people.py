"""Doors: the one-time link, and where a person lands after logging in."""

from __future__ import annotations

import ipaddress

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from triage import access
from triage.forms import JoinForm
from triage.invite import accept, open_invitation
from triage.models import Invitation, Project
from triage.sign_on import COUNTED_AS
from triage.throttle import address_waits, minutes_left


@login_not_required
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of a single-use link, or make the account and log it in."""
    invitation = open_invitation(token)
    if invitation is None or not _may_use(request, invitation):
        return render(request, "registration/join_closed.html", status=410)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = accept(token, form.cleaned_data["username"], form.cleaned_data["password"])
        if user is None:
            return render(request, "registration/join_closed.html", status=410)
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return redirect("home")
    return render(request, "registration/join.html", {"form": form, "invitation": invitation, "token": token})


def locked_out(request: HttpRequest, response: HttpResponse | None, credentials: dict[str, str] | None) -> HttpResponse:
    """Say how long to wait: this name, or names altogether, were tried too often from this address."""
    username = (credentials or {}).get("username") or request.POST.get("username", "")
    minutes = minutes_left(request, username)
    is_sign_on = username == COUNTED_AS
    form = AuthenticationForm(request, initial={"username": "" if is_sign_on else username})
    context = {"form": form, "minutes": minutes, "next": request.POST.get("next", "")}
    context |= {"everybody": address_waits(request), "is_sign_on": is_sign_on}
    answer = render(request, "registration/login.html", context, status=429)
    answer.headers["Retry-After"] = str(minutes * 60)
    return answer


def home(request: HttpRequest) -> HttpResponse:
    """Send a person to the first page of their first project."""
    project = Project.objects.of(access.user(request)).first()
    if project is None:
        raise Http404("You are not a member of any project: ask a lead for an invitation.")
    return redirect("dashboard", slug=project.slug)


def _may_use(request: HttpRequest, invitation: Invitation) -> bool:
    """The first lead's link works on the machine itself only; later invitations from anywhere."""
    if not invitation.is_first_lead:
        return True
    address = request.META.get("REMOTE_ADDR") or "127.0.0.1"
    return ipaddress.ip_address(address).is_loopback
