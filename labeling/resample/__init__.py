"""Verb: the next evaluation set from recent logs, with the gold that still holds."""

from __future__ import annotations

from labeling.resample.page import resample_page
from labeling.resample.plan import Planned, Wanted, plan_set, whole_set
from labeling.resample.writing import as_json, handed_out, set_lines

__all__ = ["Planned", "Wanted", "as_json", "handed_out", "plan_set", "resample_page", "set_lines", "whole_set"]
