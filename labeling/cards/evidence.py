"""The evidence of a card: the chunks of the prompt in order, and what the prompt did not hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from labeling.cards.lines import Beyond, ChunkLine, Source, Superseded
from labeling.cards.rows import gold_of
from labeling.core.wording import age_in_words, ranks_in_words
from labeling.models import SessionItem
from triage.models import Chunk, Query, Retrieved
from triage.models.prepared import prepared

#: Characters of one text that are shown before "show all": a page must open at once.
SHOWN = 20_000


def beyond(item: SessionItem) -> tuple[tuple[ChunkLine, ...], tuple[ChunkLine, ...]]:
    """Return what the prompt did not hold: the other candidates, and the gold chunks that were never retrieved."""
    gold = gold_of(item).keys
    query = item.case()
    rows = list(query.retrieved.filter(in_context=False).select_related("chunk").order_by("rank"))
    known = set(query.retrieved.values_list("chunk__key", flat=True))
    missing = [key for key in gold if key not in known]
    found = _by_key(query, missing)
    candidates = _lines(query, ((f"candidate-{row.rank}", None, row, row.chunk) for row in rows), gold, {}, SHOWN)
    unreachable = _lines(
        query,
        (
            (f"gold-{number}", None, None, found.get(key) or Chunk(key=key, text=None))
            for number, key in enumerate(missing, 1)
        ),
        gold,
        {},
        SHOWN,
    )
    return candidates, unreachable


CONTEXT = """
SELECT slot.rank, slot.chunk_id, slot.score, slot.rerank_score, slot.tokens,
    chunk.key, chunk.text, chunk.document, chunk.section, chunk.title, chunk.tokens, chunk.updated_at,
    chunk.superseded_by, chunk.summary_of
FROM triage_retrieved AS slot JOIN triage_chunk AS chunk ON chunk.id = slot.chunk_id
WHERE slot.query_id = %s AND slot.in_context ORDER BY slot.rank
"""


class Passage(NamedTuple):
    """What a line shows of a chunk; a row of its model has these fields too, but costs ten times as much to make."""

    key: str
    text: str | None
    document: str
    section: str
    title: str
    tokens: int | None
    updated_at: datetime | None
    superseded_by: str
    summary_of: list[str]


class Slot(NamedTuple):
    """A place of the prompt with its chunk, as a row of Retrieved has it."""

    rank: int
    chunk_id: int
    score: float | None
    rerank_score: float | None
    tokens: int | None
    chunk: Passage


def in_context(query: Query) -> list[Slot]:
    """Return the slots of the prompt in order, each with its chunk."""
    with prepared() as cursor:
        cursor.execute(CONTEXT, [query.pk])
        return [Slot._make((*row[:5], Passage._make(row[5:]))) for row in cursor.fetchall()]


def chunk_lines(query: Query, rows: Sequence[Slot], gold: Sequence[str], limit: int) -> tuple[ChunkLine, ...]:
    """Return the chunks of the prompt in prompt order."""
    anchors = {row.chunk.key: f"chunk-{slot}" for slot, row in enumerate(rows, 1)}
    slots = ((f"chunk-{slot}", slot, row, row.chunk) for slot, row in enumerate(rows, 1))
    return _lines(query, slots, gold, anchors, limit)


def _lines(
    query: Query,
    slots: Iterable[tuple[str, int | None, Retrieved | Slot | None, Chunk | Passage]],
    gold: Sequence[str],
    anchors: dict[str, str],
    limit: int,
) -> tuple[ChunkLine, ...]:
    """Return chunks as lines; sources and successors named by key are looked up once for all of them."""
    listed = list(slots)
    wanted = {key for _, _, _, chunk in listed for key in [*chunk.summary_of, chunk.superseded_by] if key}
    named = _by_key(query, wanted)
    at = query.run.started_at or query.run.created_at
    return tuple(
        ChunkLine(
            anchor=anchor,
            slot=slot,
            key=chunk.key,
            document=(chunk.title or chunk.document) if chunk.section else "",
            heading=chunk.section or chunk.title or chunk.document or chunk.key,
            text=None if chunk.text is None else chunk.text[:limit],
            is_gold=chunk.key in gold,
            rank=row.rank if row else None,
            score=row.score if row else None,
            rerank_score=row.rerank_score if row else None,
            tokens=row.tokens if row and row.tokens is not None else chunk.tokens,
            age=_age(chunk, at),
            superseded=_superseded(chunk, named, anchors),
            sources=_sources(chunk, named),
            is_summary=bool(chunk.summary_of),
            is_cut=len(chunk.text or "") > limit,
        )
        for anchor, slot, row, chunk in listed
    )


def _age(chunk: Chunk | Passage, at: datetime) -> str:
    """Return how old the chunk was when the run answered."""
    return age_in_words(chunk.updated_at, at) if chunk.updated_at else ""


def _superseded(chunk: Chunk | Passage, named: dict[str, Chunk], anchors: dict[str, str]) -> Superseded | None:
    """Return what replaced the chunk: a chunk of the run, or a document by its name."""
    if not chunk.superseded_by:
        return None
    other = named.get(chunk.superseded_by)
    name = (other.title or other.document or other.key) if other else chunk.superseded_by
    return Superseded(name=name, anchor=anchors.get(chunk.superseded_by, ""))


def _sources(chunk: Chunk | Passage, named: dict[str, Chunk]) -> tuple[Source, ...]:
    """Return the passages a summary chunk was made from."""
    found = ((key, named[key].text if key in named else None) for key in chunk.summary_of)
    return tuple(Source(name=key, text=None if text is None else text[:SHOWN]) for key, text in found)


def _by_key(query: Query, keys: Iterable[str]) -> dict[str, Chunk]:
    """Return the run's chunks of these keys; those it did not bring are missing."""
    hashes = [sha256(key.encode()).digest() for key in keys]
    if not hashes:
        return {}
    found = Chunk.objects.filter(run_chunks__run=query.run_id, run_chunks__key_hash__in=hashes)
    return {chunk.key: chunk for chunk in found}


def context_tokens(query: Query, rows: Sequence[Slot]) -> int | None:
    """Return the tokens of the context: as the file says, else the sum over its chunks where all are known."""
    if query.context_tokens is not None:
        return int(query.context_tokens)
    each = [row.tokens if row.tokens is not None else row.chunk.tokens for row in rows]
    known = [tokens for tokens in each if tokens is not None]
    return sum(known) if known and len(known) == len(each) else None


def beyond_words(others: Sequence[tuple[int, str, str]], context: Iterable[str], gold: Iterable[str]) -> Beyond:
    """Return what the prompt did not hold, in numbers and words."""
    candidates = {key for _, key, _ in others}
    found = len(candidates & set(gold))
    gold_words = {0: "none is gold", 1: "1 is gold"}.get(found, f"{found} are gold")
    return Beyond(
        candidates=len(others),
        words=f"{ranks_in_words(rank for rank, _, _ in others)}; {gold_words}" if others else "",
        unreachable=len(set(gold) - candidates - set(context)),
    )
