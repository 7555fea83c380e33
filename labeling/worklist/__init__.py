"""The queue: what a session holds, and who is handed which item next."""

from __future__ import annotations

from labeling.worklist.queue import EmptyQueue, Reason, Seat, hold, take, why_empty
from labeling.worklist.sessions import Progress, default_session, items_of, progress

__all__ = [
    "EmptyQueue",
    "Progress",
    "Reason",
    "Seat",
    "default_session",
    "hold",
    "items_of",
    "progress",
    "take",
    "why_empty",
]
