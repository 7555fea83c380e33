"""What a load balancer or a supervisor asks. No version and no count: anybody may ask."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from triage import doctor


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process answers. It asks nobody else, so that a lost database does not restart the web."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether pages can be served: not without the database; without the queue they can, later work waits."""
    database, queue = doctor.database_answers(), doctor.queue_answers()
    status = "down" if not database else "ok" if queue else "degraded"
    words = {"status": status, "database": "ok" if database else "down", "queue": "ok" if queue else "down"}
    return JsonResponse(words, status=200 if database else 503)
