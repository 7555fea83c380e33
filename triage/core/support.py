"""Is a claim supported? Judges are asked in the project's order; the first with a word on the claim decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

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
    return Word(chunk, *_meaning(value, label, threshold))


#: Label -> (supports, contradicts); any other label denies.
_LABELS: dict[str, tuple[bool | None, bool]] = {
    str(Support.SUPPORTED): (True, False),
    str(Support.UNSUPPORTED): (False, False),
    str(Support.CONTRADICTED): (False, True),
    str(Support.UNSURE): (None, False),
}
_DENIED = (False, False)


def _meaning(value: float | None, label: str, threshold: float) -> tuple[bool | None, bool]:
    if label:
        return _LABELS.get(label, _DENIED)
    return (value >= threshold if value is not None and is_usable_score(value) else None), False


@dataclass(slots=True)
class Heard:
    """What one judge said of one claim: chunks by what was said of them; None = the context as a whole.

    The words of a whole run pass through here, so they are kept in lists and no word is an object of its own.
    """

    supporting: list[str | None] = field(default_factory=list)
    denying: list[str | None] = field(default_factory=list)
    #: Those of `denying` that state the opposite.
    opposing: list[str | None] = field(default_factory=list)
    #: The judge failed on these, or was unsure.
    silent: list[str | None] = field(default_factory=list)

    @classmethod
    def of(cls, words: Iterable[Word]) -> Self:
        """Return these words together."""
        heard = cls()
        for each in words:
            heard._take(each.chunk, supports=each.supports, contradicts=each.contradicts)
        return heard

    def hear(self, chunk: str | None, value: float | None, label: str, threshold: float) -> None:
        """Take in one score row, see `word`."""
        if not label and value is not None and is_usable_score(value):  # nearly all of them
            (self.supporting if value >= threshold else self.denying).append(chunk)
        elif label == Support.UNSUPPORTED:  # and most of the rest: what a first reading passes over
            self.denying.append(chunk)
        else:
            supports, contradicts = _meaning(value, label, threshold)
            self._take(chunk, supports=supports, contradicts=contradicts)

    def _take(self, chunk: str | None, *, supports: bool | None, contradicts: bool) -> None:
        (self.supporting if supports else self.silent if supports is None else self.denying).append(chunk)
        if contradicts:
            self.opposing.append(chunk)

    def support_in(self, context: frozenset[str] | None) -> bool | None:
        """Say whether the judge finds the claim supported in the context; None = it has no word on it."""
        if _any_in(context, self.supporting):
            return True
        if None in self.denying:
            return False
        return False if _any_in(context, self.denying) and not _any_in(context, self.silent) else None

    def supporting_in(self, context: frozenset[str] | None) -> frozenset[str]:
        """Return the chunks of the context that support the claim, each on its own."""
        if context is None:
            return frozenset(chunk for chunk in self.supporting if chunk is not None)
        return context.intersection(self.supporting)

    def on_chunk(self, chunk: str) -> bool | None:
        """Say whether this chunk supports the claim; None = the judge has no usable word on it."""
        return True if chunk in self.supporting else False if chunk in self.denying else None


def _any_in(context: frozenset[str] | None, chunks: Sequence[str | None]) -> bool:
    """Say whether one of the chunks is in the context, or the context as a whole is among them."""
    return bool(chunks) and (context is None or None in chunks or not context.isdisjoint(chunks))


def decide(judges: Iterable[tuple[str, Iterable[Word]]], context: frozenset[str] | None) -> Decision:
    """Return the word of the first judge that has one on this claim, see `decide_heard`."""
    return decide_heard([(judge, Heard.of(words)) for judge, words in judges], context)


def decide_heard(judges: Iterable[tuple[str, Heard]], context: frozenset[str] | None) -> Decision:
    """Return the word of the first judge that has one on this claim; words on chunks outside the context are none.

    `context` None = unknown: every chunk a judge names may have been in it.
    A judge that supports nothing and failed on some chunk has no word: the chunk it failed on might support.
    """
    for judge, heard in judges:
        supported = heard.support_in(context)
        if supported:
            return Decision(True, heard.supporting_in(context), judge=judge)
        if supported is False:
            return Decision(False, contradicted=_any_in(context, heard.opposing), judge=judge)
    return Decision(None)


def on_pair(judges: Iterable[tuple[str, Iterable[Word]]], chunk: str) -> bool | None:
    """Return what the first judge with a usable word on exactly this chunk says; None when none has."""
    return heard_on_pair([(judge, Heard.of(words)) for judge, words in judges], chunk)


def heard_on_pair(judges: Iterable[tuple[str, Heard]], chunk: str) -> bool | None:
    """Return what the first judge with a usable word on exactly this chunk says; None when none has."""
    words = (heard.on_chunk(chunk) for _, heard in judges)
    return next((supports for supports in words if supports is not None), None)
