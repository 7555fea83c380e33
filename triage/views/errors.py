"""Pages for what went wrong: one sentence and what to do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say that the form was stale; the typed text stays in the page behind the Back button."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)
