"""A card from rows, in a fixed number of statements, without a look at anything the machine said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from labeling.cards.claims import claim_lines
from labeling.cards.decision import asks, choices
from labeling.cards.evidence import SHOWN, beyond_words, chunk_lines, context_tokens, in_context
from labeling.cards.lines import BlindCard, Challenge, Earlier
from labeling.cards.rows import card_rows
from labeling.models import GoldChallenge, SessionItem, Verdict
from labeling.review import Decision
from labeling.worklist import items_of
from triage.models import Query


def blind_card(
    item: SessionItem, user_id: int, token: UUID | None, typed: Decision | None = None, whole: bool = False
) -> BlindCard:
    """Return the card of an item for a reviewer: its query, evidence and the reviewer's own words.

    `typed` is what a refused save had said: it stands in the form again. `whole` shows long texts in full.
    """
    found, limit = card_rows(item, user_id), 10**9 if whole else SHOWN
    query = item.case()
    gold, own = found.gold, _own_words(found.verdicts)
    rows = in_context(query)
    answer = None if query.answer is None else query.answer[:limit]
    marks = typed.marks if typed else None
    claims, pieces = claim_lines(found, answer or "", rows, marks)
    decision = typed or own.decision
    return BlindCard(
        position=item.position,
        token=token,
        key=uuid4(),
        question=query.question[:limit],
        title=f"Item {item.position} of {items_of(item.session)}",
        asks=asks(item.session.population),
        turns=tuple((str(turn.get("speaker", "")), str(turn.get("text", ""))[:limit]) for turn in query.conversation),
        slices=tuple((str(name), str(value)) for name, value in query.slices.items()),
        answer=answer,
        pieces=pieces,
        claims=claims,
        reference=None if gold.reference is None else gold.reference[:limit],
        gold_note=_gold_note(query),
        is_answerable=gold.is_answerable,
        chunks=chunk_lines(query, rows, gold.keys, limit) if query.retrieval_known else None,
        tokens=context_tokens(query, rows),
        beyond=beyond_words(found.others, [row.chunk.key for row in rows], gold.keys),
        choices=choices(decision, found.codebook),
        note=decision.note,
        earlier=own.earlier,
        was_saved=own.was_saved,
        challenges=_challenges(found.challenges),
        is_cut=any(len(text or "") > limit for text in (query.question, query.answer, gold.reference)),
    )


def _gold_note(query: Query) -> str:
    """Return the remark on the gold that the file carries in its metadata, if any."""
    note = query.meta.get("gold_note", "")
    return note if isinstance(note, str) else ""


@dataclass(frozen=True, slots=True)
class _OwnWords:
    """The reviewer's word as it stands, and what the form opens with: that, or the save they took back last."""

    earlier: Earlier | None
    decision: Decision
    was_saved: bool


def _own_words(rows: Sequence[Verdict]) -> _OwnWords:
    """Read the reviewer's verdicts on the query. The first one says whether they judged blind, and in what time."""
    if not rows:
        return _OwnWords(None, Decision(), was_saved=False)
    current = next((row for row in rows if row.is_current), None)
    shown = current or rows[-1]
    decision = Decision(shown.label, shown.sub_cause, shown.note)
    if current is None:
        return _OwnWords(None, decision, was_saved=True)
    first = next(row for row in rows if not row.withdrawn)
    earlier = Earlier(
        verdict_id=current.pk,
        label=current.label,
        sub_cause=current.sub_cause,
        note=current.note,
        was_blind=first.blind,
        seconds=first.seconds,
        saved_at=current.created_at,
    )
    return _OwnWords(earlier, decision, was_saved=True)


def _challenges(rows: Sequence[GoldChallenge]) -> tuple[Challenge, ...]:
    """Return the gold challenges this reviewer raised on the query."""
    return tuple(Challenge(row.get_kind_display(), row.note, row.get_state_display()) for row in rows)
