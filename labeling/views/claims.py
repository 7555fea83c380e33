"""Cutting the claims of an item anew."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling import access
from labeling.models import SessionItem
from labeling.review import InvalidError, recut
from triage.models import Claim
from triage.tasks import advance_soon, steering


@require_http_methods(["GET", "POST"])
def item_claims(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show the claims to split, merge and edit, or cut them anew and have the run scored for the new ones."""
    item, error = access.item(request, key, position), ""
    claims = list(Claim.objects.filter(query=item.query_id, is_current=True).order_by("position", "pk"))
    named = {name.removeprefix("claim-"): str(text) for name, text in request.POST.items()}
    wanted = {int(name): text for name, text in named.items() if name.isdecimal()}
    if request.method == "POST":
        try:
            _recut(request, item, wanted)
            return redirect("item", key=key, position=position)
        except InvalidError as refusal:
            error = str(refusal)
    lines = [(number, claim, wanted.get(claim.pk, claim.text)) for number, claim in enumerate(claims, 1)]
    context = {"item": item, "session": item.session, "lines": lines, "error": error}
    return render(request, "labeling/item_claims.html", context, status=422 if error else 200)


def _recut(request: HttpRequest, item: SessionItem, wanted: dict[int, str]) -> None:
    """Cut, and ask for scores of what is new."""
    replaced = recut(item.query, wanted)
    if replaced and steering.rescore(item.session.run):
        advance_soon(item.session.run_id)
    messages.success(request, f"{replaced} claims replaced." if replaced else "The claims are as they were.")
