"""The machine's room."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.backends.signals import connection_created


class TriageConfig(AppConfig):
    """Everything before a person looks."""

    name = "triage"

    def ready(self) -> None:
        """Listen to what Django announces about accounts and connections."""
        from triage import listeners  # noqa: F401 - models can be imported only now
        from triage.models.prepared import plan_once

        connection_created.connect(plan_once)
