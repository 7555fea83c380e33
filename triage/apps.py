"""The machine's room."""

from __future__ import annotations

from django.apps import AppConfig


class TriageConfig(AppConfig):
    """Everything before a person looks."""

    name = "triage"

    def ready(self) -> None:
        """Listen to what Django announces about accounts."""
        from triage import listeners  # noqa: F401 - models can be imported only now
