"""An answer cut where its claims begin and end, so that claims that overlap still become flat, unnested markup.

All offsets are code points, as Python counts them: an emoji is one or more, a combining mark is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text with the same claims over it from start to end."""

    text: str
    start: int
    #: Numbers of the claims that cover it, the shortest first: that one is meant when the stretch is clicked.
    claims: tuple[int, ...] = ()
    #: Claims that end here: their badge stands behind the text.
    ends: tuple[int, ...] = ()


def segments(text: str, spans: Mapping[int, tuple[int, int]], cuts: Iterable[int] = ()) -> tuple[Segment, ...]:
    """Cut `text` at the [start, end) spans of its claims (number -> span); the pieces joined are the text.

    `cuts` are further offsets to cut at, inside the text: where citations begin and end.

    Spans that are empty, backwards or outside the text must be left out by the caller: see `is_inside`.
    """
    starts, ends = _by_edge(spans, 0), _by_edge(spans, 1)
    length = {number: end - start for number, (start, end) in spans.items()}
    over: set[int] = set()
    pieces = []
    for start, end in pairwise(sorted({0, len(text), *starts, *ends, *cuts})):
        over = (over - set(ends[start])) | set(starts[start])
        covering = sorted(over, key=lambda number: (length[number], number))
        pieces.append(Segment(text[start:end], start, tuple(covering), tuple(sorted(ends[end]))))
    return tuple(pieces)


def _by_edge(spans: Mapping[int, tuple[int, int]], edge: int) -> defaultdict[int, list[int]]:
    """Return the claims that start (edge 0) or end (edge 1) at each offset."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for number, span in spans.items():
        found[span[edge]].append(number)
    return found


def is_inside(text: str, span: tuple[int | None, int | None]) -> bool:
    """Say whether the span is a non-empty stretch of `text`."""
    start, end = span
    return start is not None and end is not None and 0 <= start < end <= len(text)
