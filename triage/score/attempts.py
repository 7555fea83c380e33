"""Who works on which query, how often it was tried, and when to give up: all by the database's rows and clock.

A query is worked on under an advisory lock, so that a message delivered twice does nothing the second time. Every
attempt is counted before it begins: a query that kills its worker is set aside after `MAX_ATTEMPTS`, whatever
the broker does.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from triage.models import Scoring
from triage.models.locks import held

MAX_ATTEMPTS = 3
#: A worker that says nothing for this long has lost its query.
LEASE_S = 60
GAVE_UP = f"The worker was lost {MAX_ATTEMPTS} times while judging this query (memory, time or a crash)."


def working_on(query: int) -> AbstractContextManager[bool]:
    """Hold a query: at any time one worker reads it."""
    return held(f"score:{query}")


def open_scorings(queries: Sequence[int], panel: str) -> None:
    """Make the row of every query that has none yet."""
    Scoring.objects.bulk_create([Scoring(query_id=query, panel=panel) for query in queries], ignore_conflicts=True)


def still_open(queries: Sequence[int], panel: str) -> set[int]:
    """Return those of the queries that are neither done nor given up."""
    rows = Scoring.objects.filter(query__in=queries, panel=panel, done_at__isnull=True, quarantined="")
    return set(rows.values_list("query_id", flat=True))


def begin(query: int, panel: str) -> int:
    """Count an attempt and return its number; 0 = there is nothing to do, or the query is given up now."""
    mine = Scoring.objects.filter(query=query, panel=panel, done_at__isnull=True, quarantined="")
    if mine.filter(attempts__lt=MAX_ATTEMPTS).update(
        attempts=F("attempts") + 1, leased_until=Now() + timedelta(seconds=LEASE_S)
    ):
        return mine.values_list("attempts", flat=True)[0]
    mine.update(quarantined=GAVE_UP, leased_until=None)
    return 0


def finish(queries: Sequence[int], panel: str) -> None:
    """Mark queries as done: every judge has been asked."""
    Scoring.objects.filter(query__in=queries, panel=panel, done_at__isnull=True).update(
        done_at=Now(), leased_until=None
    )


def release(queries: Sequence[int], panel: str) -> None:
    """Give back queries that were not begun, so that they are handed out again at once."""
    Scoring.objects.filter(query__in=queries, panel=panel, done_at__isnull=True).update(leased_until=None)


def set_aside(query: int, panel: str, reason: str) -> None:
    """Give a query up, with the reason people are shown."""
    Scoring.objects.filter(query=query, panel=panel).update(quarantined=reason, leased_until=None)


def wait_before_next(query: int, panel: str, attempt: int) -> None:
    """Keep a query that failed away from workers for a while: 5 s, then 20 s."""
    pause = timedelta(seconds=5 * 4 ** (attempt - 1))
    Scoring.objects.filter(query=query, panel=panel).update(leased_until=Now() + pause)


def hand_back(query: int, panel: str) -> None:
    """Hand back a query that got further but ran out of time: what it did counts, the attempt does not."""
    Scoring.objects.filter(query=query, panel=panel).update(attempts=0, leased_until=None)
