"""Verb: the release note of a run, from its rows as they stand."""

from __future__ import annotations

from labeling.report.assemble import NotClassifiedError, report, review_state
from labeling.report.confirmed import confirmed_page
from labeling.report.counts import Counted, counted
from labeling.report.listing import reports_page
from labeling.report.more import draw_more, more_page, read_half_width
from labeling.report.page import live_page
from labeling.report.previous import compare_with, previous_of
from labeling.report.publish import WithdrawnError, publish, withdraw
from labeling.report.render import FORMATS, Rendered, attachment, render, safe_name
from labeling.report.snapshot import DamagedError, snapshot_file, snapshot_page
from labeling.report.standing import Standing, standings

__all__ = [
    "FORMATS",
    "Counted",
    "DamagedError",
    "NotClassifiedError",
    "Rendered",
    "Standing",
    "WithdrawnError",
    "attachment",
    "compare_with",
    "confirmed_page",
    "counted",
    "draw_more",
    "live_page",
    "more_page",
    "previous_of",
    "publish",
    "read_half_width",
    "render",
    "report",
    "reports_page",
    "review_state",
    "safe_name",
    "snapshot_file",
    "snapshot_page",
    "standings",
    "withdraw",
]
