"""Handing out items: one SQL statement takes a seat, so two people never get the same one.

A seat (a Lease row) is free, taken until a time by the database's clock, or done. A taken seat past its time is
anybody's; until somebody takes it, it still belongs to the one who had it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from labeling.models import Lease, ReviewSession
from triage.models.prepared import prepared

#: The reviewer's own open seat first; else the first seat in order that is free or past its time, of an item this
#: reviewer has no other seat of, did not send on, and whose query they have not judged. Rows that somebody is
#: taking at this moment are passed over, not waited for.
#: What is asked of each seat is a look-up of its own, not a join: the plan walks the open seats in order and stops at
#: the first, whatever statistics say. (COALESCE: it is then taken to hold for half of them, so stopping early pays.)
#: "taken" is handed over, not written: so the plan cannot walk the index of open seats for a reviewer's own one, as it
#: does while statistics do not know of a session just drawn.
TAKE = """
UPDATE labeling_lease AS seat
SET state = 'taken',
    token = CASE WHEN seat.reviewer_id = %(user)s AND seat.token IS NOT NULL THEN seat.token ELSE gen_random_uuid() END,
    taken_at = {taken_at},
    reviewer_id = %(user)s,
    expires_at = {until}
FROM labeling_sessionitem AS item
WHERE item.id = seat.item_id AND seat.state <> 'done' AND seat.id = COALESCE(
    (SELECT mine.id FROM labeling_lease AS mine
     WHERE mine.session_id = %(session)s AND mine.reviewer_id = %(user)s AND mine.state = %(taken)s {at_mine}
     ORDER BY mine.position LIMIT 1),
    (SELECT open.id FROM labeling_lease AS open
     WHERE open.session_id = %(session)s AND open.state IN ('free', 'taken') {at_open}
       AND (open.state = 'free' OR open.expires_at < clock_timestamp())
       AND NOT COALESCE((
           SELECT true FROM labeling_lease AS other
           WHERE other.item_id = open.item_id AND other.reviewer_id = %(user)s LIMIT 1), false)
       AND NOT COALESCE((
           SELECT true FROM labeling_skip AS skip
           WHERE skip.item_id = open.item_id AND skip.reviewer_id = %(user)s AND skip.requeued_at IS NULL
           LIMIT 1), false)
       AND NOT COALESCE((
           SELECT true FROM labeling_verdict AS verdict
           WHERE verdict.reviewer_id = %(user)s AND verdict.is_current AND verdict.query_id = (
               SELECT listed.query_id FROM labeling_sessionitem AS listed WHERE listed.id = open.item_id)
           LIMIT 1), false)
     ORDER BY open.position, open.seat LIMIT 1 FOR UPDATE OF open SKIP LOCKED))
RETURNING seat.id, item.id, item.query_id, item.position, item.blind, seat.token,
    EXTRACT(EPOCH FROM seat.expires_at - clock_timestamp())::int
"""

#: A reviewer's own seat keeps its clock; one that was only reserved (`taken_at` null) starts it now.
TAKEN_NOW = """
CASE WHEN seat.reviewer_id = %(user)s AND seat.expires_at > clock_timestamp()
     THEN COALESCE(seat.taken_at, clock_timestamp()) ELSE clock_timestamp() END
"""
LEASED = "clock_timestamp() + make_interval(mins => %(minutes)s)"

TAKE_NEXT = TAKE.format(at_mine="", at_open="", taken_at=TAKEN_NOW, until=LEASED)
TAKE_THIS = TAKE.format(
    at_mine="AND mine.position = %(position)s",
    at_open="AND open.position = %(position)s",
    taken_at=TAKEN_NOW,
    until=LEASED,
)

HOLD = """
UPDATE labeling_lease
SET expires_at = clock_timestamp() + make_interval(mins => %(minutes)s)
WHERE session_id = %(session)s AND position = %(position)s AND reviewer_id = %(user)s AND token = %(token)s
  AND state = 'taken'
RETURNING EXTRACT(EPOCH FROM expires_at - clock_timestamp())::int
"""

WHY_EMPTY = """
SELECT count(DISTINCT seat.item_id),
    count(*) FILTER (WHERE seat.state = 'done'),
    count(*) FILTER (WHERE held.now AND seat.reviewer_id <> %(user)s),
    min(seat.expires_at) FILTER (WHERE held.now AND seat.reviewer_id <> %(user)s),
    count(DISTINCT seat.item_id) FILTER (WHERE seat.state <> 'done' AND EXISTS (
        SELECT 1 FROM labeling_skip AS skip
        WHERE skip.item_id = seat.item_id AND skip.reviewer_id = %(user)s AND skip.requeued_at IS NULL)),
    count(*) FILTER (WHERE seat.state <> 'done')
FROM labeling_lease AS seat
CROSS JOIN LATERAL (SELECT seat.state = 'taken' AND seat.expires_at > clock_timestamp() AS now) AS held
WHERE seat.session_id = %(session)s
"""


@dataclass(frozen=True, slots=True)
class Seat:
    """One wanted verdict of one item, held by one reviewer. The token proves it at the save."""

    lease_id: int
    item_id: int
    query_id: int
    position: int
    blind: bool
    token: UUID
    seconds_left: int


class Reason(StrEnum):
    """Why there is nothing to hand out."""

    DONE = "done"
    WITH_OTHERS = "with_others"
    SKIPPED = "skipped"
    YOURS_DONE = "yours_done"
    NOTHING_DRAWN = "nothing_drawn"
    CLOSED = "closed"


TITLES = {
    Reason.DONE: "All items are read",
    Reason.WITH_OTHERS: "The rest is with other reviewers",
    Reason.SKIPPED: "Only items you skipped are left",
    Reason.YOURS_DONE: "You have read everything here that you can",
    Reason.NOTHING_DRAWN: "This session holds no items",
    Reason.CLOSED: "This session is closed",
}
WORDS = {
    Reason.DONE: "Every verdict wanted of these {empty.items:,} items is in.",
    Reason.WITH_OTHERS: "{empty.with_others:,} being reviewed by others. What they leave comes back to the queue at",
    Reason.SKIPPED: "{empty.skipped:,} skipped by you. They wait for somebody else, or for you to take them back.",
    Reason.YOURS_DONE: "What is still open wants the eyes of somebody else: you have judged it already.",
    Reason.NOTHING_DRAWN: "No query matched when it was made: everything was filtered out.",
    Reason.CLOSED: "A lead closed it. Nothing more is handed out; what was saved counts.",
}


@dataclass(frozen=True, slots=True)
class EmptyQueue:
    """What an empty queue says: the reason, and the counts behind it."""

    reason: Reason
    items: int = 0
    seats_done: int = 0
    with_others: int = 0
    until: datetime | None = None
    skipped: int = 0
    seats_open: int = 0

    @property
    def title(self) -> str:
        """Return the reason as a heading."""
        return TITLES[self.reason]

    @property
    def words(self) -> str:
        """Return the reason as a sentence with its counts; `until` stands behind it."""
        return WORDS[self.reason].format(empty=self)


def take(session: ReviewSession, user_id: int, position: int | None = None) -> Seat | None:
    """Hand this reviewer their open item, or the next one (or the one at `position`); None when there is none.

    The database's clock counts. A double click asks twice at once: the second sees the first's seat and gets it.
    """
    if session.closed_at is not None:
        return None
    sql = TAKE_NEXT if position is None else TAKE_THIS
    values = {"session": session.pk, "user": user_id, "position": position, "minutes": settings.LEASE_MINUTES}
    for _attempt in range(5):  # each lost race leaves a seat of our own, or a done one, to be seen by the next look
        try:
            row = run_take(sql, values)
        except IntegrityError:
            continue
        if row is not None:
            return Seat(*row)
        if not _lost_a_race(session, user_id, position):
            return None
    return None


def run_take(sql: str, values: Mapping[str, int | None]) -> tuple[Any, ...] | None:
    """Run the statement: a transaction by itself, or behind a savepoint of the one that is open."""
    with ExitStack() as stack:
        if connection.in_atomic_block:
            stack.enter_context(transaction.atomic())
        cursor = stack.enter_context(prepared())
        cursor.execute(sql, {**values, "taken": Lease.State.TAKEN.value})
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _lost_a_race(session: ReviewSession, user_id: int, position: int | None) -> bool:
    """Say whether this reviewer has an open seat after all: another of their requests took it a moment ago."""
    own = session.leases.filter(reviewer=user_id, state="taken")
    return (own if position is None else own.filter(position=position)).exists()


def hold(session: ReviewSession, user_id: int, position: int, token: UUID) -> int | None:
    """Renew the seat while its page is in use; return the seconds left, or None when it is not theirs any more."""
    with prepared() as cursor:
        cursor.execute(
            HOLD,
            {
                "session": session.pk,
                "user": user_id,
                "position": position,
                "token": token,
                "minutes": settings.LEASE_MINUTES,
            },
        )
        row = cursor.fetchone()
    return row[0] if row else None


def why_empty(session: ReviewSession, user_id: int) -> EmptyQueue:
    """Say why `take` found nothing for this reviewer."""
    with connection.cursor() as cursor:
        cursor.execute(WHY_EMPTY, {"session": session.pk, "user": user_id})
        items, seats_done, with_others, until, skipped, seats_open = cursor.fetchone()
    return EmptyQueue(
        reason=_reason(session.closed_at is not None, items, with_others, skipped, seats_open),
        items=items,
        seats_done=seats_done,
        with_others=with_others,
        until=until,
        skipped=skipped,
        seats_open=seats_open,
    )


def _reason(closed: bool, items: int, with_others: int, skipped: int, seats_open: int) -> Reason:
    """Return the reason that helps most: what the reviewer can still do comes before what they must wait for."""
    if closed:
        return Reason.CLOSED
    if items == 0:
        return Reason.NOTHING_DRAWN
    if seats_open == 0:
        return Reason.DONE
    if skipped:
        return Reason.SKIPPED
    return Reason.WITH_OTHERS if with_others else Reason.YOURS_DONE
