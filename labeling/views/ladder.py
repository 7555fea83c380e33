"""A chain of interventions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.ladder import ladder_page, read_ladder
from triage import access


@require_GET
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what each run of the chain that `?run=` names moved on a slice, beside run-to-run noise."""
    project, told = access.project(request, slug), request.GET
    wanted = read_ladder(
        project, told.getlist("run"), told.getlist("repeat"), told.get("metric", ""), told.get("slice", "")
    )
    page = ladder_page(project, wanted)
    return render(request, "labeling/ladder.html", {"page": page}, status=400 if page.refused else 200)
