"""Addresses of the human's half. URL name = view = template."""

from __future__ import annotations

from django.urls import path, re_path

from labeling.views import report

urlpatterns = [
    path("p/<slug:slug>/reports/", report.reports, name="reports"),
    path("runs/<str:key>/report/", report.report, name="report"),
    re_path(r"^runs/(?P<key>\w+)/report\.(?P<to>md|csv|json|html)$", report.report_file, name="report_file"),
]
