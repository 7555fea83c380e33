"""Confirming the machine's labels in bulk."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.review import confirm, confirmable
from triage import access
from triage.core.labels import FOUR_CLASSES
from triage.models import Role

A_PAGE = 100
#: Longer numbers are no ids: the database's end at 19 digits.
DIGITS = 19


@require_http_methods(["GET", "POST"])
def confirm_bulk(request: HttpRequest, key: str) -> HttpResponse:
    """List what nobody has read, by class; a POST gives the machine's label as this lead's verdict."""
    run = access.run(request, key, Role.LEAD)
    if request.method == "POST":
        chosen = [int(pk) for pk in request.POST.getlist("query") if pk.isdecimal() and len(pk) < DIGITS]
        messages.success(request, f"{confirm(run, access.user(request), chosen):,} confirmed.")
        return redirect(request.get_full_path())
    label = request.GET.get("label", "")
    rows = confirmable(run, label if label in FOUR_CLASSES else "")
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {"run": run, "page": page, "label": label, "labels": FOUR_CLASSES}
    return render(request, "labeling/confirm_bulk.html", context)
