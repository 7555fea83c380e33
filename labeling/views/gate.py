"""The gates of a run."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from labeling.gate import gate_page
from triage import access


@require_GET
def gate(request: HttpRequest, key: str) -> HttpResponse:
    """Show whether the run passes its project's gates; `?strict=1` goes by the values alone."""
    run = access.run(request, key)
    if not run.summary:
        return redirect("run", key=run.key)
    return render(request, "labeling/gate.html", {"page": gate_page(run, strict="strict" in request.GET)})
