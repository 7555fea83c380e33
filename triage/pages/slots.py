"""The retrieved slots of a query, and the gold that was not retrieved, as its page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from triage.pages.manifest import Manifest


@dataclass(frozen=True, slots=True)
class ChunkLine:
    """One retrieved slot, or a gold chunk that was not retrieved (rank 0)."""

    rank: int
    key: str
    title: str
    section: str
    url: str
    #: None = the file did not supply it.
    text: str | None
    is_blank: bool
    tokens: int | None
    score: float | None
    rerank_score: float | None
    is_gold: bool
    in_context: bool
    superseded_by: str
    is_repeat: bool
    is_summary: bool
    #: Numbers of the claims it supports best.
    supports: tuple[int, ...]


def slot_lines(manifest: Manifest, gold: frozenset[str], supports: Mapping[int, Sequence[int]]) -> list[ChunkLine]:
    """Return the retrieved slots in rank order. `supports`: rank -> numbers of the claims it supports best."""
    lines, seen = [], set()
    for slot in manifest.slots:
        chunk = slot.chunk
        lines.append(
            ChunkLine(
                rank=slot.rank,
                key=chunk.key,
                title=chunk.title,
                section=chunk.section,
                url=chunk.url,
                text=chunk.text,
                is_blank=chunk.text is not None and not chunk.text.strip(),
                tokens=slot.tokens if slot.tokens is not None else chunk.tokens,
                score=slot.score,
                rerank_score=slot.rerank_score,
                is_gold=chunk.key in gold,
                in_context=slot.in_context,
                superseded_by=chunk.superseded_by,
                is_repeat=chunk.key in seen,
                is_summary=bool(chunk.summary_of),
                supports=tuple(supports.get(slot.rank, ())),
            )
        )
        seen.add(chunk.key)
    return lines


def absent(key: str, manifest: Manifest) -> ChunkLine:
    """Return a gold chunk that was not retrieved; its text where the run brought it."""
    chunk = manifest.corpus.get(key)
    return ChunkLine(
        rank=0,
        key=key,
        title=chunk.title if chunk else "",
        section=chunk.section if chunk else "",
        url=chunk.url if chunk else "",
        text=chunk.text if chunk else None,
        is_blank=bool(chunk and chunk.text is not None and not chunk.text.strip()),
        tokens=chunk.tokens if chunk else None,
        score=None,
        rerank_score=None,
        is_gold=True,
        in_context=False,
        superseded_by=chunk.superseded_by if chunk else "",
        is_repeat=False,
        is_summary=bool(chunk and chunk.summary_of),
        supports=(),
    )
