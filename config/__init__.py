"""Wires both rooms together; nobody imports it, except that Celery must be loaded with Django for shared tasks."""

from __future__ import annotations

from config.celery import app as celery_app

__all__ = ["celery_app"]
