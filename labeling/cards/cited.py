"""The citations in an answer, as links to the chunks of the prompt that they name. Read from the text alone."""

from __future__ import annotations

from collections.abc import Sequence

from labeling.cards.evidence import Slot
from labeling.cards.lines import Cite
from labeling.cards.rows import CardRows
from triage.core.citations import CitedSpan, cited_spans

FABRICATED = "fabricated: not in the prompt"
WHOLE = "whole document: unverifiable"


def cited_places(answer: str, found: CardRows, context: Sequence[Slot]) -> dict[tuple[int, int], Cite]:
    """Return [start, end) in code points of the answer -> what is cited there. `context` = the prompt's slots."""
    keys = [row.chunk.key for row in context]
    documents: dict[str, str | None] = {key: document or None for _, key, document in found.others}
    documents |= {row.chunk.key: row.chunk.document or None for row in context}
    slots = {key: slot for slot, key in reversed(list(enumerate(keys, 1)))}
    return {(span.start, span.end): _cite(span, slots) for span in cited_spans(answer, keys, documents)}


def _cite(span: CitedSpan, slots: dict[str, int]) -> Cite:
    """Return where one citation leads: to the first chunk it names that is on the page."""
    named = [slots[cited.chunk] for cited in span.citations if cited.chunk in slots and not cited.whole_document]
    if named:
        return Cite(f"chunk-{named[0]}", ", ".join(f"chunk {slot}" for slot in named))
    return Cite("", WHOLE if all(cited.whole_document for cited in span.citations) else FABRICATED)
