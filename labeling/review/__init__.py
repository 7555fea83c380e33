"""Saving what a reviewer says, taking it back, sending an item on. Every change is a row of its own."""

from __future__ import annotations

from labeling.review.adjudicate import Ruling, adjudicate, contradictory, disputed
from labeling.review.bulk import confirm, confirmable
from labeling.review.decision import (
    ContradictoryError,
    Decision,
    GoneError,
    InvalidError,
    Mark,
    NotSavedError,
    Receipt,
    StaleError,
    Ticket,
)
from labeling.review.notes import Saturation, categorise, noted, saturation
from labeling.review.recut import recut
from labeling.review.save import save
from labeling.review.steps import UNDO_LIMIT, Undone, has_judged, previous_position, requeue, skip, undo
from labeling.review.talk import comment, comments_naming, may_talk

__all__ = [
    "UNDO_LIMIT",
    "ContradictoryError",
    "Decision",
    "GoneError",
    "InvalidError",
    "Mark",
    "NotSavedError",
    "Receipt",
    "Ruling",
    "Saturation",
    "StaleError",
    "Ticket",
    "Undone",
    "adjudicate",
    "categorise",
    "comment",
    "comments_naming",
    "confirm",
    "confirmable",
    "contradictory",
    "disputed",
    "has_judged",
    "may_talk",
    "noted",
    "previous_position",
    "recut",
    "requeue",
    "saturation",
    "save",
    "skip",
    "undo",
]
