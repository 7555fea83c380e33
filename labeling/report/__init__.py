"""Verb: the release note of a run, from its rows as they stand."""

from __future__ import annotations

from labeling.report.assemble import NotClassifiedError, report, review_state
from labeling.report.counts import Counted, counted
from labeling.report.render import FORMATS, Rendered, render

__all__ = ["FORMATS", "Counted", "NotClassifiedError", "Rendered", "counted", "render", "report", "review_state"]
