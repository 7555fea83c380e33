"""Verb: what a reranker costs and saves, from a run without it and one with it."""

from __future__ import annotations

from labeling.economics.document import as_json, render
from labeling.economics.page import economics_page
from labeling.economics.read import LEAST, MOST, Asked, economics, read_runs

__all__ = ["LEAST", "MOST", "Asked", "as_json", "economics", "economics_page", "read_runs", "render"]
