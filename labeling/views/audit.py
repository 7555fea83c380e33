"""The gold audit of a run."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from labeling.audit import audit_page
from triage import access


@require_GET
def audit(request: HttpRequest, key: str) -> HttpResponse:
    """Show whether the run's recall is to be trusted."""
    page = audit_page(access.run(request, key), timezone.now())
    return render(request, "labeling/audit.html", {"page": page})
