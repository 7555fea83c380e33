"""Verb: what a project has to do this quarter."""

from __future__ import annotations

from labeling.due.announce import announce, announce_all
from labeling.due.listing import Due, as_json, due, due_page

__all__ = ["Due", "announce", "announce_all", "as_json", "due", "due_page"]
