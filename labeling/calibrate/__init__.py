"""Verb: compare a judge with people. What comes out is kept as rows; pages only read them."""

from __future__ import annotations

from labeling.calibrate.correct import correctness_judges
from labeling.calibrate.items_page import Wanted, items_page
from labeling.calibrate.listing import judges_page
from labeling.calibrate.page import judge_page
from labeling.calibrate.policies import earlier_policy, policies_page
from labeling.calibrate.run import calibrate, calibrate_all, calibrate_recorded, items_of, judge_of, judges_in
from labeling.calibrate.telling import identity, told, told_ratings
from labeling.calibrate.what_if import Wish, what_if_page

__all__ = [
    "Wanted",
    "Wish",
    "calibrate",
    "calibrate_all",
    "calibrate_recorded",
    "correctness_judges",
    "earlier_policy",
    "identity",
    "items_of",
    "items_page",
    "judge_of",
    "judge_page",
    "judges_in",
    "judges_page",
    "policies_page",
    "told",
    "told_ratings",
    "what_if_page",
]
