"""The Celery application: JSON only, no result backend, tasks take ids."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("rag_triage")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["triage", "labeling"])
