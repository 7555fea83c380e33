"""How far people agree on a run, with the matrix behind every number."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from labeling.agree import agreement_items, agreement_page
from labeling.tasks import agree_soon
from triage import access
from triage.core.labels import VERDICT_LABELS
from triage.models import Role


@require_GET
def agreement(request: HttpRequest, key: str) -> HttpResponse:
    """Show the agreement of the people who read a run."""
    run = access.run(request, key, Role.LEAD)
    return render(request, "labeling/agreement.html", {"page": agreement_page(run)})


@require_POST
def agreement_compute(request: HttpRequest, key: str) -> HttpResponse:
    """Have a worker compute the figures anew."""
    run = access.run(request, key, Role.LEAD)
    if agree_soon(run.pk):
        messages.success(request, "A worker is computing it. Reload in a moment.")
    else:
        messages.error(request, "The queue does not answer. Run: manage.py agreement " + run.key)
    return redirect("agreement", key=key)


@require_GET
def agreement_cell(request: HttpRequest, key: str) -> HttpResponse:
    """List the queries behind one cell of the matrix of labels."""
    run = access.run(request, key, Role.LEAD)
    pair = [word if word in VERDICT_LABELS else "" for word in (request.GET.get("a", ""), request.GET.get("b", ""))]
    context = {"run": run, "left": pair[0], "right": pair[1], "queries": agreement_items(run, *pair)}
    return render(request, "labeling/agreement_cell.html", context)
