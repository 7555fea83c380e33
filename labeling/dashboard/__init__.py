"""The first page of a project: how the newest release stands, what changed, what is due, who is reading."""

from __future__ import annotations

from labeling.dashboard.page import dashboard_page

__all__ = ["dashboard_page"]
