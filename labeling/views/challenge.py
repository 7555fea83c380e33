"""Challenging the gold: raised on an item without leaving it, decided by a lead."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from labeling import access
from labeling.challenge import DecidedError, SamePersonError, UnknownChunkError, decide, effects, raise_challenge
from labeling.forms import ChallengeForm, ChallengeRulingForm
from labeling.models import GoldChallenge
from labeling.views.screen import is_swap
from triage import access as doors
from triage.access import user
from triage.models import Role
from triage.tasks import advance_soon, steering


@require_http_methods(["GET", "POST"])
def item_challenge(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show the form of a gold challenge, or store it for a lead to decide."""
    item, form = access.item(request, key, position), ChallengeForm(request.POST or None)
    context = {"item": item, "session": item.session, "form": form}
    if form.is_valid():
        try:
            context["challenge"] = raise_challenge(item.query, user(request), **form.said())
        except UnknownChunkError:
            form.add_error("chunk", "Neither a number of this prompt nor the id of a chunk of the run.")
    done = "challenge" in context
    if is_swap(request):
        status = 200 if done else 422
        return render(request, "labeling/item_challenge.html#challenges", context, status=status)
    if done:
        messages.success(request, "Challenge sent: a lead decides it.")
        return redirect("item", key=key, position=position)
    return render(request, "labeling/item_challenge.html", context, status=422 if form.errors else 200)


@require_GET
def challenges(request: HttpRequest, slug: str) -> HttpResponse:
    """List the gold challenges of a project, open ones first."""
    project = doors.project(request, slug)
    return render(
        request, "labeling/challenges.html", {"project": project, "lines": GoldChallenge.objects.listed(project)}
    )


@require_http_methods(["GET", "POST"])
def challenge(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one challenge with the gold as it stands, take the decision, show what it changed."""
    is_decision = request.method == "POST"
    project = doors.project(request, slug, Role.LEAD if is_decision else Role.VIEWER)
    found = get_object_or_404(GoldChallenge.objects.listed(project), pk=pk)
    form = ChallengeRulingForm(request.POST or None)
    if is_decision and form.is_valid():
        _decide(request, found, form)
        return redirect("challenge", slug=slug, pk=pk)
    own = found.raised_by_id == user(request).pk
    context = {"project": project, "challenge": found, "form": form, "effects": effects(found), "own": own}
    return render(request, "labeling/challenge.html", context, status=422 if form.errors else 200)


def _decide(request: HttpRequest, found: GoldChallenge, form: ChallengeRulingForm) -> None:
    """Decide, have the touched runs classified again, and say so."""
    try:
        done = decide(found, user(request), accept=form.is_acceptance, reason=form.cleaned_data["reason"])
    except SamePersonError:
        messages.error(request, "A second person decides: you raised this challenge yourself. Invite another lead.")
        return
    except DecidedError:
        messages.error(request, "Somebody decided it a moment ago.")
        return
    for run in done.runs:
        if steering.rescore(run):
            advance_soon(run.pk)
    words = f"Accepted as gold version {done.version}." if done.version else "Decided."
    messages.success(request, f"{words} {len(done.runs)} runs are classified again." if done.runs else words)
