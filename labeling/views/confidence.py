"""Whether the retriever's scores foretell failure."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.confidence import confidence_page
from triage import access


@require_GET
def confidence(request: HttpRequest, key: str) -> HttpResponse:
    """Show what a low best score, a small lead, or disagreement of retriever and reranker foretell."""
    return render(request, "labeling/confidence.html", {"page": confidence_page(access.run(request, key))})
