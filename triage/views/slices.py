"""A run by its slices."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from triage import access
from triage.pages.crossed import crossed_page


@require_GET
def slices(request: HttpRequest, key: str) -> HttpResponse:
    """Cross two slice keys of a run; `a`, `b` name them, `show` what the cells show."""
    asked = (request.GET.get(name, "") for name in ("a", "b", "show"))
    return render(request, "triage/slices.html", {"page": crossed_page(access.run(request, key), *asked)})
