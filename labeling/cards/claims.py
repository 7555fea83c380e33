"""The claims of a card: their marks, and the answer with each claim under its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labeling.cards.cited import cited_places
from labeling.cards.evidence import Slot
from labeling.cards.lines import UNMARKED, AnswerPiece, Cite, ClaimLine
from labeling.cards.rows import CardRows
from labeling.core.segments import Segment, is_inside, segments
from labeling.models import ClaimVerdict
from labeling.review import Mark
from triage.models import Citation, Claim

#: A stretch of a citation that goes on behind it.
INSIDE = Cite(anchor="", words="")


def claim_lines(
    found: CardRows, answer: str, context: Sequence[Slot], typed: Sequence[Mark] | None
) -> tuple[tuple[ClaimLine, ...], tuple[AnswerPiece, ...]]:
    """Return the claims with the reviewer's marks, and the answer cut into stretches that know their claims.

    `context` = the slots of the prompt in order; `typed` = the marks of a save that was refused, shown instead of the
    saved ones.
    """
    marks = (
        _saved(found.marks, [row.chunk_id for row in context])
        if typed is None
        else {mark.claim_id: mark for mark in typed}
    )
    loose = _unverifiable(found.citations)
    spans: dict[int, tuple[int, int]] = {}
    lines = []
    for number, claim in enumerate(found.claims, 1):
        span = (claim.span_start, claim.span_end)
        if is_inside(answer, span):
            spans[number] = (claim.span_start or 0, claim.span_end or 0)
        lines.append(_line(number, claim, marks.get(claim.pk), number in spans, loose.get(claim.pk, ())))
    return tuple(lines), _pieces(answer, spans, lines, cited_places(answer, found, context))


def _saved(rows: Sequence[ClaimVerdict], context: Sequence[int]) -> dict[int, Mark]:
    """Return the reviewer's marks by claim: as they stand, else those they took back with a save."""
    slots = {chunk_id: slot for slot, chunk_id in reversed(list(enumerate(context, 1)))}
    return {
        row.claim_id: Mark(
            row.claim_id,
            row.label,
            slots.get(row.chunk_id or 0),
            None if row.evidence_start is None or row.evidence_end is None else (row.evidence_start, row.evidence_end),
        )
        for row in rows
    }


def _line(number: int, claim: Claim, mark: Mark | None, is_in_answer: bool, loose: Sequence[str]) -> ClaimLine:
    """Return one claim as the screen lists it."""
    return ClaimLine(
        number=number,
        id=claim.pk,
        text=claim.text,
        is_in_answer=is_in_answer,
        mark=mark.support if mark else UNMARKED,
        slot=mark.slot if mark else None,
        span=f"{mark.span[0]}-{mark.span[1]}" if mark and mark.span else "",
        unverifiable=tuple(loose),
    )


def _unverifiable(citations: Sequence[Citation]) -> dict[int, list[str]]:
    """Return claim -> what it cites as a whole document: nobody can say which chunk was meant."""
    found: dict[int, list[str]] = {}
    for citation in citations:
        if citation.whole_document:
            found.setdefault(citation.claim_id, []).append(citation.cited)
    return found


def _pieces(
    answer: str, spans: dict[int, tuple[int, int]], lines: Sequence[ClaimLine], places: dict[tuple[int, int], Cite]
) -> tuple[AnswerPiece, ...]:
    """Return the answer as flat stretches, each with the claim a click on it selects and the badges behind it."""
    cuts = (edge for place in places for edge in place)
    return tuple(
        AnswerPiece(
            segment=segment,
            claim=lines[segment.claims[0] - 1] if segment.claims else None,
            ends=tuple(lines[number - 1] for number in segment.ends),
            cite=_cite_of(segment, places),
        )
        for segment in segments(answer, spans, cuts)
    )


def _cite_of(segment: Segment, places: Mapping[tuple[int, int], Cite]) -> Cite | None:
    """Return the citation that a stretch is (part of): a claim may begin or end inside one; its end is the link."""
    end = segment.start + len(segment.text)
    for (first, last), cite in places.items():
        if first <= segment.start and end <= last:
            return cite if end == last else INSIDE
    return None
