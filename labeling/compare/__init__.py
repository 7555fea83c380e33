"""Verb: runs over the same queries side by side."""

from __future__ import annotations

from labeling.compare.arms import LEAST, MOST, Comparison, compare
from labeling.compare.document import render
from labeling.compare.page import compare_page, read_production, read_runs
from labeling.compare.telling import as_json, as_text

__all__ = [
    "LEAST",
    "MOST",
    "Comparison",
    "as_json",
    "as_text",
    "compare",
    "compare_page",
    "read_production",
    "read_runs",
    "render",
]
