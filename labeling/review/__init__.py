"""Saving what a reviewer says, taking it back, sending an item on. Every change is a row of its own."""

from __future__ import annotations

from labeling.review.adjudicate import Ruling, adjudicate, contradictory, disputed
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
from labeling.review.save import save
from labeling.review.steps import UNDO_LIMIT, Undone, previous_position, requeue, skip, undo

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
    "StaleError",
    "Ticket",
    "Undone",
    "adjudicate",
    "contradictory",
    "disputed",
    "previous_position",
    "requeue",
    "save",
    "skip",
    "undo",
]
