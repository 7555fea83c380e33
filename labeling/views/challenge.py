"""Challenging the gold of an item, without leaving it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling import access
from labeling.challenge import UnknownChunkError, raise_challenge
from labeling.forms import ChallengeForm
from labeling.views.screen import is_swap
from triage.access import user


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
