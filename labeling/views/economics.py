"""What a reranker costs and saves."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.economics import LEAST, economics_page, read_runs
from labeling.economics import economics as price
from labeling.forms import EconomicsForm
from triage import access


@require_GET
def economics(request: HttpRequest, slug: str) -> HttpResponse:
    """Price the last run that `?run=` names against the first, at the prices of the address."""
    project = access.project(request, slug)
    runs, form = read_runs(project, request.GET.getlist("run")), EconomicsForm(request.GET)
    found = price(runs, form.asked()) if len(runs) >= LEAST else None
    context = {"page": economics_page(project, found, runs), "form": form}
    return render(request, "labeling/economics.html", context, status=400 if form.errors else 200)
