"""Arms side by side."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.compare import LEAST, compare_page, read_production, read_runs
from labeling.compare import compare as compare_runs
from triage import access


@require_GET
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare the runs that `?run=` names, in that order, with the first; or let two to six be chosen."""
    project = access.project(request, slug)
    runs = read_runs(project, request.GET.getlist("run"))
    figures = read_production(request.GET)
    arms = compare_runs(runs, request.GET.get("slices", ""), figures) if len(runs) >= LEAST else None
    return render(request, "labeling/compare.html", {"page": compare_page(project, arms, runs, request.GET)})
