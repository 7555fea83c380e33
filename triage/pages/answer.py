"""The answer of a query as its page prints it: text, and the citations in it as links to what they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.core.citations import CitedSpan, cited_spans
from triage.models import Retrieved

FABRICATED = "fabricated: not in the prompt"
WHOLE = "whole document: unverifiable"


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A stretch of the answer. A citation has words; `rank` is the slot it names, 0 = it names none of the prompt."""

    text: str
    words: str = ""
    rank: int = 0


def answer_pieces(answer: str, slots: Sequence[Retrieved]) -> tuple[AnswerPiece, ...]:
    """Cut the answer at its citations; the pieces joined are the answer. `slots` = all retrieved, in rank order."""
    context = [slot.chunk.key for slot in slots if slot.in_context]
    documents = {slot.chunk.key: slot.chunk.document or None for slot in slots}
    ranks = {slot.chunk.key: slot.rank for slot in reversed(slots) if slot.in_context}
    pieces, at = [], 0
    for span in cited_spans(answer, context, documents):
        if span.start > at:
            pieces.append(AnswerPiece(answer[at : span.start]))
        pieces.append(_cited(answer[span.start : span.end], span, ranks))
        at = span.end
    return (*pieces, AnswerPiece(answer[at:]))


def _cited(text: str, span: CitedSpan, ranks: dict[str, int]) -> AnswerPiece:
    """Return one citation with where it leads."""
    named = [ranks[cited.chunk] for cited in span.citations if cited.chunk in ranks and not cited.whole_document]
    if named:
        return AnswerPiece(text, ", ".join(f"rank {rank}" for rank in named), named[0])
    return AnswerPiece(text, WHOLE if all(cited.whole_document for cited in span.citations) else FABRICATED)
