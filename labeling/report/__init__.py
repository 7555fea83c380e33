"""Verb: the release note of a run, from its rows as they stand."""

from __future__ import annotations

from labeling.report.assemble import NotClassifiedError, report, review_state
from labeling.report.confirmed import confirmed_page
from labeling.report.counts import Counted, counted
from labeling.report.listing import reports_page
from labeling.report.more import draw_more, more_page, read_half_width
from labeling.report.page import report_page
from labeling.report.previous import compare_with, previous_of
from labeling.report.render import FORMATS, Rendered, attachment, render, safe_name
from labeling.report.standing import Standing, standings

__all__ = [
    "FORMATS",
    "Counted",
    "NotClassifiedError",
    "Rendered",
    "Standing",
    "attachment",
    "compare_with",
    "confirmed_page",
    "counted",
    "draw_more",
    "more_page",
    "previous_of",
    "read_half_width",
    "render",
    "report",
    "report_page",
    "reports_page",
    "review_state",
    "safe_name",
    "standings",
]
