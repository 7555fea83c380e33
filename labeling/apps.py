"""The human's room."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """Everything from the first glance to the published table."""

    name = "labeling"

    def ready(self) -> None:
        """Listen to what the machine's half announces."""
        import_module("labeling.listeners")
