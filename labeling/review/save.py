"""One save: check that the page is fresh, append the verdict and its marks, free the queue, settle the item."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from labeling.codebook import Codebook
from labeling.core.consistency import Conflict, conflict
from labeling.models import ClaimVerdict, Lease, ReviewSession, SessionItem, Verdict
from labeling.models.verdicts import Stage
from labeling.review.decision import (
    ContradictoryError,
    Decision,
    GoneError,
    InvalidError,
    Mark,
    Receipt,
    StaleError,
    Ticket,
)
from labeling.review.facts import Facts, facts_of
from labeling.settle import LOCK_ONE, settle_locked
from labeling.worklist import FINISH, take, tell_if_read
from triage.core.labels import VERDICT_LABELS, Support
from triage.core.policy import Policy
from triage.models import Retrieved
from triage.models.collisions import again_on_collision
from triage.models.prepared import prepared

NOTE_LIMIT = 20_000

#: The columns of a verdict. One statement adds its row, says that its seat is done and locks its query to be settled:
#: each statement of a save costs more in getting there and back than in the database.
CELLS = [field.attname for field in Verdict._meta.concrete_fields if not field.primary_key]
APPEND = f"""
WITH finished AS ({FINISH}), locked AS ({LOCK_ONE})
INSERT INTO labeling_verdict ({", ".join(CELLS)}) VALUES ({", ".join(f"%({name})s" for name in CELLS)})
RETURNING id, (SELECT has_free FROM finished), (SELECT overlap FROM locked)
"""  # noqa: S608 - our own columns

#: Row locks the seat: a double click, two tabs and a retry queue up here, and the later ones see what came before.
#: Found by its item: a person has one seat of it, however many they have in the session.
SEAT = """
SELECT seat.id, seat.token, seat.state, GREATEST(EXTRACT(EPOCH FROM clock_timestamp() - seat.taken_at), 0),
    item.id, item.query_id, item.blind
FROM labeling_lease AS seat JOIN labeling_sessionitem AS item ON item.id = seat.item_id
WHERE seat.item_id = (SELECT id FROM labeling_sessionitem WHERE session_id = %s AND position = %s)
    AND seat.reviewer_id = %s FOR UPDATE OF seat
"""


@again_on_collision
@transaction.atomic
def save(session: ReviewSession, user: User, position: int, decision: Decision, ticket: Ticket) -> Receipt:
    """Store what `user` decided about the item at `position`, and return the receipt.

    The same key again returns the first receipt. A late save counts while nobody else took the seat. A collision with
    somebody else is tried again. Raises a NotSavedError with nothing saved; SessionItem.DoesNotExist when there is
    no such item.
    """
    item, seat_id, seconds = _seat(session, position, user, ticket)
    known = facts_of(session, item.query_id, user.pk)
    current = next((verdict for verdict in known.verdicts if verdict.is_current), None)
    replay = next((verdict for verdict in known.verdicts if verdict.idempotency_key == ticket.key), None)
    if replay is not None:
        return _replayed(replay, decision, current)
    if (current.pk if current else None) != ticket.seen:
        raise StaleError(current)
    clash = _checked(session, decision, known)
    verdict = _verdict(item, user, decision, ticket, known, seconds)
    verdict.stage, verdict.conflicts = _stage(session, current), clash is not None
    may_be_last, overlap = _append(verdict, current, seat_id)
    _mark(verdict, decision.marks)
    settle_locked(item.query_id, overlap)
    if may_be_last:
        tell_if_read(session)
    return Receipt(verdict, revised=current is not None)


def _seat(session: ReviewSession, position: int, user: User, ticket: Ticket) -> tuple[SessionItem, int, float | None]:
    """Lock the reviewer's seat; return its item, its id and the seconds since it was taken (None on a change)."""
    row = _own_seat(session, position, user)
    if row is None:  # the lease ran out: the save still counts if the item has a seat nobody sits on
        session.items.get(position=position)
        if take(session, user.pk, position) is None:
            raise GoneError
        row = _own_seat(session, position, user)
        assert row is not None
        return _item(session, position, row), row[0], None
    seat_id, token, state, seconds = row[:4]
    if state == Lease.State.DONE:
        return _item(session, position, row), seat_id, None
    if token != ticket.token:
        raise StaleError(None)
    return _item(session, position, row), seat_id, float(seconds)


Row = tuple[int, object, str, float, int, int, bool]


def _own_seat(session: ReviewSession, position: int, user: User) -> Row | None:
    """Return the reviewer's locked seat of the item as (id, token, state, seconds) and the item, if they have one."""
    with prepared() as cursor:
        cursor.execute(SEAT, [session.pk, position, user.pk])
        row: Row | None = cursor.fetchone()
    return row


def _item(session: ReviewSession, position: int, row: Row) -> SessionItem:
    """Return the item that came with its seat."""
    return SessionItem(id=row[4], session=session, position=position, query_id=row[5], blind=row[6])


def _replayed(first: Verdict, decision: Decision, current: Verdict | None) -> Receipt:
    """Return the receipt of a save that arrived before; the same key with other words is a stale page."""
    same = (first.label, first.sub_cause, first.note) == (decision.label, decision.sub_cause, decision.note)
    if not same or not first.is_current:
        raise StaleError(current)
    return Receipt(first, replayed=True, revised=first.stage != Stage.FIRST)


def _checked(session: ReviewSession, decision: Decision, known: Facts) -> Conflict | None:
    """Raise InvalidError or ContradictoryError; return the conflict the reviewer insists on, if any."""
    errors = _errors(decision, known.claims, known.codebook)
    if errors:
        raise InvalidError(errors)
    if not decision.marks:
        return None
    marks = {known.claims[mark.claim_id]: mark.support for mark in decision.marks}
    clash = conflict(decision.label, marks, len(known.claims), _policy(session))
    if clash is not None and not decision.insists:
        raise ContradictoryError(clash)
    return clash


def _errors(decision: Decision, claims: dict[int, int], codebook: Codebook) -> dict[str, str]:
    """Return field -> what is wrong with it."""
    errors = {}
    if not decision.label and not decision.note:
        errors["label"] = "Choose a label, or write a note."
    elif decision.label and decision.label not in VERDICT_LABELS:
        errors["label"] = "That is not a label of the codebook."
    if not codebook.has(decision.label, decision.sub_cause):
        errors["sub_cause"] = "That sub-cause does not belong to the label."
    if len(decision.note) > NOTE_LIMIT:
        errors["note"] = f"The note is longer than {NOTE_LIMIT:,} characters."
    if any(mark.claim_id not in claims for mark in decision.marks):
        errors["marks"] = "A claim was changed since this page was opened. Reload to see the claims as they are now."
    if any(mark.support not in set(Support) for mark in decision.marks):
        errors["marks"] = "A claim is supported, unsupported, contradicted or unsure."
    return errors


def _policy(session: ReviewSession) -> Policy:
    """Return the policy whose faithfulness threshold the marks are held against."""
    return session.run.project.policy()


def _verdict(
    item: SessionItem, user: User, decision: Decision, ticket: Ticket, known: Facts, seconds: float | None
) -> Verdict:
    """Return the row to append, with what the machine said at this moment."""
    run, suggested = item.session.run, known.suggested
    return Verdict(
        query_id=item.query_id,
        item=item,
        reviewer=user,
        label=decision.label,
        sub_cause=decision.sub_cause,
        note=decision.note,
        blind=item.blind and not known.verdicts,
        drawn=item.session.drawn,
        codebook_version=known.codebook.version,
        gold_version=suggested.gold_version if suggested else run.gold_version,
        policy_fingerprint=suggested.policy_fingerprint if suggested else run.policy_fingerprint,
        suggested=suggested.label if suggested else "",
        seconds=seconds,
        idempotency_key=ticket.key,
    )


def _stage(session: ReviewSession, current: Verdict | None) -> Stage:
    """Return how the verdict comes about; whatever is said in a calibration round is practice."""
    if session.is_round:
        return Stage.ROUND
    return Stage.REVISED if current is not None else Stage.FIRST


def _append(verdict: Verdict, current: Verdict | None, seat_id: int) -> tuple[bool, int | None]:
    """Add the row, the one before it stays as history, free the queue of its seat and lock its query.

    Return whether no seat of the session is free any more (it may be done, ask `tell_if_read`), and the overlap.
    """
    if current is not None:
        Verdict.objects.filter(pk=current.pk).update(is_current=False)
    verdict.created_at = timezone.now()
    with prepared() as cursor:
        cursor.execute(APPEND, {name: getattr(verdict, name) for name in CELLS} | {"seat": seat_id})
        verdict.pk, has_free, overlap = cursor.fetchone()
    return has_free is False, overlap


def _mark(verdict: Verdict, marks: tuple[Mark, ...]) -> None:
    """Add the claim marks that say something new; what they replace stays as history."""
    if not marks:
        return
    chunks = _chunks_by_slot(verdict.query_id) if any(mark.slot for mark in marks) else {}
    now = {
        mark.claim_id: mark
        for mark in ClaimVerdict.objects.filter(
            claim__in=[mark.claim_id for mark in marks], reviewer=verdict.reviewer_id, is_current=True
        )
    }
    rows = [_row(verdict, mark, chunks) for mark in marks]
    news = [row for row in rows if _differs(row, now.get(row.claim_id))]
    ClaimVerdict.objects.filter(
        pk__in=[now[row.claim_id].pk for row in news if row.claim_id in now],
    ).update(is_current=False)
    ClaimVerdict.objects.bulk_create(news)


def _chunks_by_slot(query_id: int) -> dict[int, int]:
    """Return the chunks of the prompt: slot (1 = first) -> chunk id."""
    slots = Retrieved.objects.filter(query=query_id, in_context=True).order_by("rank")
    return dict(enumerate(slots.values_list("chunk", flat=True), 1))


def _row(verdict: Verdict, mark: Mark, chunks: dict[int, int]) -> ClaimVerdict:
    """Return the row of one mark. A slot the prompt does not have is no evidence."""
    chunk_id = chunks.get(mark.slot) if mark.slot else None
    start, end = mark.span if mark.span and chunk_id else (None, None)
    return ClaimVerdict(
        claim_id=mark.claim_id,
        verdict=verdict,
        reviewer_id=verdict.reviewer_id,
        label=mark.support,
        chunk_id=chunk_id,
        evidence_start=start,
        evidence_end=end,
        stage=verdict.stage,
        blind=verdict.blind,
    )


def _differs(row: ClaimVerdict, now: ClaimVerdict | None) -> bool:
    """Say whether the row is news."""
    if now is None:
        return True
    fields = ("label", "chunk_id", "evidence_start", "evidence_end")
    return any(getattr(row, field) != getattr(now, field) for field in fields)
