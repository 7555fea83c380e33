"""Verb: do the retriever's own scores foretell failure?"""

from __future__ import annotations

from labeling.confidence.document import as_json, render
from labeling.confidence.page import confidence_page
from labeling.confidence.read import confidence

__all__ = ["as_json", "confidence", "confidence_page", "render"]
