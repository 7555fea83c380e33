"""Where a run's answers come from."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.sources import sources_page
from triage import access


@require_GET
def sources(request: HttpRequest, key: str) -> HttpResponse:
    """Show drift, declining by slice, and what citations name; `slices` chooses the slice key."""
    page = sources_page(access.run(request, key), request.GET.get("slices", ""))
    return render(request, "labeling/sources.html", {"page": page})
