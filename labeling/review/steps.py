"""Moves around the queue: undo a save, send an item on, take skipped items back, go back to an earlier one."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from labeling.models import ClaimVerdict, Lease, ReviewSession, SessionItem, Skip, Verdict
from labeling.models.verdicts import Stage
from labeling.review.decision import GoneError
from labeling.settle import settle_queries

#: How many of their newest saves a reviewer can take back.
UNDO_LIMIT = 20

#: The seat of an undone save is the reviewer's again, with a new token and a full lease.
REOPEN = """
UPDATE labeling_lease
SET state = 'taken', token = gen_random_uuid(), taken_at = clock_timestamp(),
    expires_at = clock_timestamp() + make_interval(mins => %s)
WHERE item_id = %s AND reviewer_id = %s
"""


@dataclass(frozen=True, slots=True)
class Undone:
    """A save that was taken back: the item it was about, and what it had said."""

    position: int
    verdict: Verdict


@transaction.atomic
def undo(session: ReviewSession, user: User) -> Undone | None:
    """Take back this reviewer's newest save in the session that still stands; None when there is none in the last 20.

    The row is kept as withdrawn. What it had replaced counts again; without any, the item is open and theirs.
    """
    newest = (
        Verdict.objects.select_for_update(of=("self",))
        .filter(reviewer=user, item__session=session, stage__in=[Stage.FIRST, Stage.REVISED, Stage.ROUND])
        .order_by("-pk")[:UNDO_LIMIT]
    )
    last = next((verdict for verdict in newest if verdict.is_current and not verdict.withdrawn), None)
    if last is None:
        return None
    Verdict.objects.filter(pk=last.pk).update(withdrawn=True, is_current=False)
    before = _standing(user, last).order_by("-pk").first()
    if before is not None:
        Verdict.objects.filter(pk=before.pk).update(is_current=True)
    else:
        _reopen(last)
    _withdraw_marks(last)
    settle_queries([last.query_id])
    assert last.item is not None
    return Undone(last.item.position, last)


def _standing(user: User, last: Verdict) -> QuerySet[Verdict]:
    """Return the reviewer's verdicts on the same query that were not taken back."""
    return Verdict.objects.filter(
        query=last.query_id, reviewer=user, withdrawn=False, stage__in=[Stage.FIRST, Stage.REVISED, Stage.ROUND]
    )


def _reopen(verdict: Verdict) -> None:
    """Make the reviewer's seat of the item open again."""
    with connection.cursor() as cursor:
        cursor.execute(REOPEN, [settings.LEASE_MINUTES, verdict.item_id, verdict.reviewer_id])


def _withdraw_marks(verdict: Verdict) -> None:
    """Take back the claim marks of a save; the ones they had replaced count again."""
    mine = ClaimVerdict.objects.filter(verdict=verdict)
    claims = list(mine.values_list("claim", flat=True))
    if not claims:
        return
    mine.update(withdrawn=True, is_current=False)
    newest = (
        ClaimVerdict.objects.filter(claim__in=claims, reviewer=verdict.reviewer_id, withdrawn=False)
        .values("claim")
        .annotate(newest=Max("pk"))
        .values_list("newest", flat=True)
    )
    ClaimVerdict.objects.filter(pk__in=list(newest)).update(is_current=True)


@transaction.atomic
def skip(session: ReviewSession, user: User, position: int, token: UUID, reason: str = "") -> None:
    """Send the item on to somebody else; it does not come back by itself. Raises GoneError when it is not theirs."""
    item = session.items.get(position=position)
    freed = Lease.objects.filter(item=item, reviewer=user, token=token, state=Lease.State.TAKEN).update(
        state=Lease.State.FREE, reviewer=None, token=None, taken_at=None, expires_at=None
    )
    if not freed:
        raise GoneError
    Skip.objects.bulk_create([Skip(item=item, reviewer=user, reason=reason)], ignore_conflicts=True)


def requeue(session: ReviewSession, user: User) -> int:
    """Give the reviewer the items they skipped in this session again; return how many."""
    return Skip.objects.filter(item__session=session, reviewer=user, requeued_at=None).update(
        requeued_at=timezone.now()
    )


def has_judged(query_id: int, user_id: int) -> bool:
    """Say whether a word of this person on the query stands."""
    return Verdict.objects.filter(query=query_id, reviewer=user_id, is_current=True).exists()


def previous_position(session: ReviewSession, user: User, position: int | None = None) -> int | None:
    """Return the place of the item this reviewer saved before the one at `position` (or last of all), if any."""
    saves = (
        SessionItem.objects.filter(session=session, verdicts__reviewer=user, verdicts__withdrawn=False)
        .values("position")
        .annotate(last=Max("verdicts__pk"))
        .order_by("-last")
    )
    here = saves.filter(position=position).first() if position is not None else None
    if here is not None:
        saves = saves.filter(last__lt=here["last"])
    before = saves.first()
    return None if before is None else int(before["position"])
