"""An answer cut where its claims begin and end, so that claims that overlap still become flat, unnested markup.

All offsets are code points, as Python counts them: an emoji is one or more, a combining mark is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text with the same claims over it from start to end."""

    text: str
    start: int
    #: Numbers of the claims that cover it, the shortest first: that one is meant when the stretch is clicked.
    claims: tuple[int, ...] = ()
    #: Claims that end here: their badge stands behind the text.
    ends: tuple[int, ...] = ()


def segments(text: str, spans: Mapping[int, tuple[int, int]]) -> tuple[Segment, ...]:
    """Cut `text` at the [start, end) spans of its claims (number -> span); the pieces joined are the text.

    Spans that are empty, backwards or outside the text must be left out by the caller: see `is_inside`.
    """
    cuts = sorted({0, len(text), *(edge for span in spans.values() for edge in span)})
    opened = sorted(spans, key=lambda number: (spans[number][1] - spans[number][0], number))
    return tuple(
        Segment(
            text=text[start:end],
            start=start,
            claims=tuple(number for number in opened if spans[number][0] <= start and end <= spans[number][1]),
            ends=tuple(sorted(number for number in opened if spans[number][1] == end)),
        )
        for start, end in zip(cuts, cuts[1:], strict=False)
    )


def is_inside(text: str, span: tuple[int | None, int | None]) -> bool:
    """Say whether the span is a non-empty stretch of `text`."""
    start, end = span
    return start is not None and end is not None and 0 <= start < end <= len(text)
