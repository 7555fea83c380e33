"""Verb: the releases of an evaluation set over time."""

from __future__ import annotations

from labeling.trend.listing import Release, Trend, trend
from labeling.trend.page import trend_page
from labeling.trend.telling import FORMATS, as_json, handed_out, rendered

__all__ = ["FORMATS", "Release", "Trend", "as_json", "handed_out", "rendered", "trend", "trend_page"]
