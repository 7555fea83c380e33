"""The API of both rooms under one address."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.api import runs as results
from triage.api import grounding, projects, runs, uploads
from triage.api.building import PATH, build
from triage.api.reference import reference

api = build([projects.router, uploads.router, runs.router, results.router, grounding.router])


@login_not_required
@require_safe
def openapi(_request: HttpRequest) -> JsonResponse:
    """Return the OpenAPI document: what the source says anyway, no data."""
    return JsonResponse(api.get_openapi_schema(path_prefix=PATH))


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """Show the same document to people: every call, every shape, an example of each."""
    origin = f"{request.scheme}://{request.get_host()}"
    page = reference(api.get_openapi_schema(path_prefix=PATH), origin)
    return render(request, "triage/api_reference.html", {"page": page})
