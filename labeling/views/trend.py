"""The trend: the page and its files."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.trend import FORMATS, Trend, handed_out, trend_page
from labeling.trend import trend as trend_of
from triage import access


def _asked(request: HttpRequest, slug: str) -> Trend:
    return trend_of(access.project(request, slug), request.GET.get("set"), request.GET.get("pipeline"))


@require_GET
def trend(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the releases of an evaluation set over time."""
    return render(request, "labeling/trend.html", {"page": trend_page(_asked(request, slug))})


@require_GET
def trend_file(request: HttpRequest, slug: str, to: str) -> HttpResponse:
    """Send the trend as a file."""
    response = HttpResponse(handed_out(_asked(request, slug), to), content_type=FORMATS[to])
    response.headers["Content-Disposition"] = f'attachment; filename="trend-{slug}.{to}"'
    return response
