"""Is a claim supported? Judges are asked in the project's order; the first with a word on the claim decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.core.judging import is_usable_score
from triage.core.labels import Support


@dataclass(frozen=True, slots=True)
class Word:
    """What one judge said of one claim and one chunk; `chunk` None = of the context as a whole."""

    chunk: str | None
    #: None: the judge failed, or was unsure. It spoke, and said nothing usable.
    supports: bool | None
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What the judges come to on one claim."""

    #: None: no judge has a usable word (a judge error).
    supported: bool | None
    #: Context chunks that support it, each on its own, by the judge that decided.
    supporting: frozenset[str] = frozenset()
    contradicted: bool = False
    #: The judge that decided; "" when none did.
    judge: str = ""


def word(chunk: str | None, value: float | None, label: str, threshold: float) -> Word:
    """Read one score row. A label wins over a score; a score supports at or above the judge's threshold."""
    if label == Support.UNSURE:
        return Word(chunk, None)
    if label:
        return Word(chunk, label == Support.SUPPORTED, contradicts=label == Support.CONTRADICTED)
    return Word(chunk, value >= threshold if value is not None and is_usable_score(value) else None)


def decide(judges: Sequence[tuple[str, Sequence[Word]]], context: frozenset[str] | None) -> Decision:
    """Return the word of the first judge that has one on this claim; words on chunks outside the context are none.

    `context` None = unknown: every chunk a judge names may have been in it.
    A judge that supports nothing and failed on some chunk has no word: the chunk it failed on might support.
    """
    for judge, words in judges:
        heard = [each for each in words if each.chunk is None or context is None or each.chunk in context]
        supporting = [each.chunk for each in heard if each.supports]
        if supporting:
            return Decision(True, frozenset(chunk for chunk in supporting if chunk is not None), judge=judge)
        on_the_whole = any(each.chunk is None and each.supports is False for each in heard)
        if on_the_whole or (heard and all(each.supports is False for each in heard)):
            return Decision(False, contradicted=any(each.contradicts for each in heard), judge=judge)
    return Decision(None)


def on_pair(judges: Sequence[tuple[str, Sequence[Word]]], chunk: str) -> bool | None:
    """Return what the first judge with a usable word on exactly this chunk says; None when none has."""
    words = (each.supports for _, said in judges for each in said if each.chunk == chunk and each.supports is not None)
    return next(words, None)
