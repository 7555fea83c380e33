"""Answers as they are written in the sources: claims in brackets, with marks for what stands behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLAIM = re.compile(r"\[([^\[\]]+)\]\(([^()]*)\)")
_STANCES = {"+": "supported", "-": "unsupported", "x": "contradicted", "?": "unsure"}


@dataclass(frozen=True, slots=True)
class MarkedClaim:
    """One claim with the verdict the judge is to record, the chunks it names, and what the answer cites for it."""

    text: str
    label: str
    chunks: tuple[str, ...]
    cites: tuple[str, ...]
    #: The score to record, where the story needs one.
    score: float | None


def segments(marked: str) -> list[str | MarkedClaim]:
    """Cut a marked answer into plain text and claims, in order."""
    parts: list[str | MarkedClaim] = []
    at = 0
    for match in _CLAIM.finditer(marked):
        parts.append(marked[at : match.start()])
        parts.append(_claim(match.group(1), match.group(2)))
        at = match.end()
    parts.append(marked[at:])
    return [part for part in parts if part]


def claims_of(marked: str) -> list[MarkedClaim]:
    """Return the claims of a marked answer, in order."""
    return [part for part in segments(marked) if isinstance(part, MarkedClaim)]


def _claim(text: str, marks: str) -> MarkedClaim:
    stance, *options = marks.split(";")
    chunks = tuple(stance[1:].split(",")) if len(stance) > 1 else ()
    cites: tuple[str, ...] = ()
    score = None
    for option in options:
        name, _, value = option.partition("=")
        if name == "c":
            cites = tuple(value.split(",")) if value else chunks
        elif name == "s":
            score = float(value)
        else:
            raise ValueError(f"unknown mark {option!r} on claim {text!r}: use c, c=CHUNKS or s=SCORE")
    return MarkedClaim(text, _STANCES[stance[0]], chunks, cites, score)
