"""Verb: where a run's answers come from - gold or drift, declining or answering, real or made-up citations."""

from __future__ import annotations

from labeling.sources.document import as_json, render
from labeling.sources.page import sources_page
from labeling.sources.read import sources

__all__ = ["as_json", "render", "sources", "sources_page"]
