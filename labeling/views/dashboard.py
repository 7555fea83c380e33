"""The first page of a project."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from labeling.dashboard import dashboard_page
from triage import access


@require_GET
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how the project stands and what to do next."""
    page = dashboard_page(access.project(request, slug), timezone.now())
    return render(request, "labeling/dashboard.html", {"page": page})
