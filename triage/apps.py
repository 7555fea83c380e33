"""The machine's room."""

from __future__ import annotations

from django.apps import AppConfig


class TriageConfig(AppConfig):
    """Everything before a person looks."""

    name = "triage"
