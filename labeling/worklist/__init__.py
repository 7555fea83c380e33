"""The queue: what a session holds, and who is handed which item next."""

from __future__ import annotations

from labeling.worklist.ahead import reserve
from labeling.worklist.draw import Wish, make_session
from labeling.worklist.ending import FINISH, tell_if_read
from labeling.worklist.frame import Filter, reviewers_of, slices_of
from labeling.worklist.overview import SessionLine, Share, open_session_lines, overview, session_lines, shares
from labeling.worklist.presence import Present, presence
from labeling.worklist.queue import EmptyQueue, Reason, Seat, hold, take, why_empty
from labeling.worklist.sessions import PROGRESS, Progress, close, default_session, items_of, name_strata, progress

__all__ = [
    "FINISH",
    "PROGRESS",
    "EmptyQueue",
    "Filter",
    "Present",
    "Progress",
    "Reason",
    "Seat",
    "SessionLine",
    "Share",
    "Wish",
    "close",
    "default_session",
    "hold",
    "items_of",
    "make_session",
    "name_strata",
    "open_session_lines",
    "overview",
    "presence",
    "progress",
    "reserve",
    "reviewers_of",
    "session_lines",
    "shares",
    "slices_of",
    "take",
    "tell_if_read",
    "why_empty",
]
