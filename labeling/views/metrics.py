"""How the product is, for Prometheus."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from labeling.gauges import exposition


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer whoever shows METRICS_KEY; without a key set, and for everybody else, there is no such page."""
    said = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_KEY or not constant_time_compare(said, settings.METRICS_KEY):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
