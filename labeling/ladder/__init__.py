"""Verb: an ordered chain of runs on one slice, each step beside run-to-run noise."""

from __future__ import annotations

from labeling.ladder.climb import METRICS, Climbed, climb
from labeling.ladder.document import as_json, render
from labeling.ladder.page import ladder_page, read_ladder

__all__ = ["METRICS", "Climbed", "as_json", "climb", "ladder_page", "read_ladder", "render"]
