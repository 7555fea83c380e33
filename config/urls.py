"""All addresses: the machine's, the human's, and the doors."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("triage.urls")),
    path("", include("labeling.urls")),
]
