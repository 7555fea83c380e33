"""Citations that stand in the text of a claim, resolved against the chunks of the run.

A mark is `[1]`, `[1, 2]`, `[2-4]`, `[^1]`, `【1】`, `[doc 4]`, `[source 2]`, `[some-chunk-id]` or a superscript.
A name that is a chunk id means that chunk, a name that is a document id means the whole document (nobody can
say which of its chunks was meant), a number counts the slots of the context from 1. What resolves to nothing is
kept under the name it was written with: a fabricated citation is a finding, not noise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

#: A number of this many digits or fewer is a slot number; longer ones are years and quantities.
_SLOT_DIGITS = 3
#: Marks of one claim that are read at most, and slots that one range may name.
MAX_CITATIONS = 100

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_MARK = re.compile(r"[\[【]\^?([^\[\]【】\n]{1,300})[\]】]|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})(?![⁰¹²³⁴⁵⁶⁷⁸⁹])")
_NUMBERED = re.compile(r"(?:(?:doc|document|source|passage|chunk|ref|citation|context)s?[ :#.]{0,3})?(\d{1,3})$", re.I)
_RANGE = re.compile(r"(\d{1,3})\s?[-–]\s?(\d{1,3})$")
_ID_LIKE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w.:#/@-]{2,300}$")
_CODE = re.compile(r"```.*?(?:```|$)|`[^`\n]*`", re.S)
_LEADING = re.compile(r"(?:\s*(?:[\[【]\^?[^\[\]【】\n]{1,300}[\]】]|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})[.,;]?)+")


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation of a claim: a chunk key, a document id (`whole_document`), or the name of nothing known."""

    chunk: str
    in_context: bool
    whole_document: bool = False


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """A citation where it stands: [start, end) in code points of the text, and what it names (a range: several)."""

    start: int
    end: int
    citations: tuple[Citation, ...]


def cites(text: str, context: Sequence[str], documents: Mapping[str, str | None] | None = None) -> tuple[Citation, ...]:
    """Return the citations of a claim's `text`, each once, in order.

    `context` is the chunk keys of the context's slots in order; `documents` maps every known chunk key to its
    document id (None when it has none), candidates outside the context included.
    """
    found: dict[str, Citation] = {}
    for span in _spans(text, context, documents or {}):
        for citation in span.citations:
            if len(found) < MAX_CITATIONS:
                found.setdefault(citation.chunk, citation)
    return tuple(found.values())


def cited_spans(
    text: str, context: Sequence[str], documents: Mapping[str, str | None] | None = None
) -> tuple[CitedSpan, ...]:
    """Return where in `text` citations stand, in order and apart from each other: what a page makes links of.

    `[1]` is a span with its brackets, `[1, 3]` is two spans without them, `[2-4]` is one span of three citations.
    """
    return tuple(islice(_spans(text, context, documents or {}), MAX_CITATIONS))


def _spans(text: str, context: Sequence[str], known: Mapping[str, str | None]) -> Iterator[CitedSpan]:
    """Yield each written citation that resolves to anything."""
    slots, whole = frozenset(context), frozenset(d for d in known.values() if d)
    for start, end, names in _names(text, slots | known.keys() | whole):
        found = (_resolve(name, context, slots, known, whole) for name in names)
        citations = tuple(citation for citation in found if citation is not None)
        if citations:
            yield CitedSpan(start, end, citations)


def leading_marks(text: str) -> int:
    """Return how many characters of citation marks `text` opens with; 0 when its first bracket is none."""
    match = _LEADING.match(text)
    if match is None:
        return 0
    names = [name for mark in _MARK.finditer(match.group()) for _, _, part in _parts(mark) for name in part]
    return match.end() if names and all(_looks_like_citation(name) for name in names) else 0


#: Where a citation stands, and the names it is written with: more than one for a range.
_Placed = tuple[int, int, tuple[str, ...]]


def _names(text: str, known: frozenset[str]) -> Iterator[_Placed]:
    """Yield the written names of all marks outside code, ranges spelled out."""
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    for mark in _MARK.finditer(text):
        if any(start <= mark.start() < end for start, end in code):
            continue
        whole = (mark.group(1) or "").strip()
        is_link = text[mark.end() : mark.end() + 1] == "(" and not whole.isdigit()
        if whole in known:
            yield mark.start(), mark.end(), (whole,)
        elif not is_link:
            yield from _parts(mark)


def _parts(mark: re.Match[str]) -> Iterator[_Placed]:
    """Yield the single names of one mark: `[1, 3-4]` is 1, then 3 and 4. A name alone takes the brackets with it."""
    if mark.group(2):
        yield mark.start(), mark.end(), (mark.group(2).translate(_SUPERSCRIPTS),)
        return
    parts = [part for part in re.finditer(r"[^,;]+", mark.group(1)) if part.group().strip().lstrip("^")]
    for part in parts:
        name = part.group().strip()
        start = mark.start(1) + part.start() + part.group().index(name)
        span = (mark.start(), mark.end()) if len(parts) == 1 else (start, start + len(name))
        yield (*span, _spelled_out(name.lstrip("^")))


def _spelled_out(name: str) -> tuple[str, ...]:
    """Return the names of a range of slots; any other name is itself."""
    span = _RANGE.match(name)
    if span and 0 <= int(span[2]) - int(span[1]) < MAX_CITATIONS:
        return tuple(str(number) for number in range(int(span[1]), int(span[2]) + 1))
    return (name,)


def _looks_like_citation(name: str) -> bool:
    return bool(_NUMBERED.match(name) or _ID_LIKE.match(name))


def _resolve(
    name: str, context: Sequence[str], slots: frozenset[str], known: Mapping[str, str | None], whole: frozenset[str]
) -> Citation | None:
    """Resolve one name: a chunk before a document before a slot number; None when it is no citation at all."""
    if name in slots or name in known:
        return Citation(name, in_context=name in slots)
    if name in whole:
        return Citation(name, in_context=any(known.get(chunk) == name for chunk in context), whole_document=True)
    numbered = _NUMBERED.match(name)
    if numbered is None:
        return Citation(name, in_context=False) if _ID_LIKE.match(name) else None
    slot = int(numbered.group(1))
    if 1 <= slot <= len(context):
        return Citation(context[slot - 1], in_context=True)
    return Citation(name, in_context=False)
