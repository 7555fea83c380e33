"""The human's room."""

from __future__ import annotations

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """Everything from the first glance to the published table."""

    name = "labeling"
