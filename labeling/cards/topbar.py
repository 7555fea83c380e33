"""The bar on top of the review screen: where one is, how far, how long the item is one's own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from labeling.models import ReviewSession
from labeling.worklist import Progress


@dataclass(frozen=True, slots=True)
class TopBar:
    """What stands in the bar. `seconds_left` None = the item is not leased (judged before)."""

    session: str
    session_key: str
    project: str
    run_url: str
    done: int
    items: int
    median_ms: float | None
    seconds_left: int | None
    saved_at: datetime | None

    @property
    def minutes_left(self) -> str:
        """Return the time left as 12:40; the script counts it down."""
        minutes, seconds = divmod(self.seconds_left or 0, 60)
        return f"{minutes}:{seconds:02d}"


def top_bar(
    session: ReviewSession, now: Progress, seconds_left: int | None = None, saved_at: datetime | None = None
) -> TopBar:
    """Return the bar for a reviewer who is so far. The session's run and project must be loaded with it."""
    return TopBar(
        session=session.name,
        session_key=session.key,
        project=session.run.project.name,
        run_url=reverse("run", args=[session.run.key]),
        done=now.done,
        items=now.items,
        median_ms=None if now.median_s is None else now.median_s * 1000,
        seconds_left=seconds_left,
        saved_at=saved_at,
    )
