"""Reserving the item after this one, so that its card can be fetched while the reviewer reads.

A reservation is a seat taken for two minutes with no clock running yet: nobody else is handed the item meanwhile, and
`take` hands it to the reviewer who reserved it, with the token that the fetched card holds. It is renewed while the
page is used; a reviewer who leaves blocks an item for two minutes, not for a quarter of an hour.
"""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError

from labeling.models import ReviewSession
from labeling.worklist.queue import TAKE, Seat, run_take

RESERVE = TAKE.format(
    at_mine="AND mine.position <> %(position)s",
    at_open="AND open.position <> %(position)s",
    taken_at="CASE WHEN seat.reviewer_id = %(user)s AND seat.expires_at > clock_timestamp() THEN seat.taken_at END",
    until="""GREATEST(CASE WHEN seat.reviewer_id = %(user)s THEN seat.expires_at END,
        clock_timestamp() + make_interval(secs => %(seconds)s))""",
)


def reserve(session: ReviewSession, user_id: int, position: int) -> Seat | None:
    """Reserve an item other than the one at `position`; None when there is none, or the reviewer was quicker."""
    if session.closed_at is not None:
        return None
    values = {"session": session.pk, "user": user_id, "position": position, "seconds": settings.RESERVE_S}
    try:
        row = run_take(RESERVE, values)
    except IntegrityError:  # the next item was taken by another request of theirs at this moment
        return None
    return Seat(*row) if row is not None else None
