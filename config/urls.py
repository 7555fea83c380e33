"""All addresses: the machine's, the human's, and the doors."""

from __future__ import annotations

from django.urls import include, path

from config.api import api, api_reference, openapi
from labeling.views import metrics
from triage.api.building import PATH, addresses
from triage.views import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path(f"{PATH}openapi.json", openapi, name="openapi"),
    path(f"{PATH}docs/", api_reference, name="api_reference"),
    path(PATH, include((addresses(api), "api"))),
    path("metrics", metrics.metrics, name="metrics"),
    path("", include("triage.urls")),
    path("", include("labeling.urls")),
]

handler500 = "triage.views.errors.server_error"
