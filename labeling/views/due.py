"""What a project has to do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from labeling.due import due_page
from triage import access


@require_GET
def due(request: HttpRequest, slug: str) -> HttpResponse:
    """List what is due in the project, each with where to do it."""
    page = due_page(access.project(request, slug), timezone.now())
    return render(request, "labeling/due.html", {"page": page})
