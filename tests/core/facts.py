"""Short ways to state the facts of a query in a test."""

from __future__ import annotations

from typing import Any

from triage.core.metrics import CitationFacts, ClaimFacts, QueryFacts


def claim(key: str, supported: bool | None = True, by: str = "", cites: tuple[CitationFacts, ...] = ()) -> ClaimFacts:
    """Return a claim; `by` lists the supporting chunks, one letter or word each, separated by spaces."""
    return ClaimFacts(key=key, supported=supported, supporting=frozenset(by.split()), cites=cites)


def cite(chunk: str, supports: bool | None = True, *, in_context: bool = True, whole: bool = False) -> CitationFacts:
    """Return a citation."""
    return CitationFacts(chunk=chunk, in_context=in_context, whole_document=whole, supports=supports)


def facts(context: str | None = "A", gold: str | None = "A", candidates: str | None = None, **other: Any) -> QueryFacts:
    """Return a failing, answerable, answered query; chunk lists are words separated by spaces."""
    slots = None if context is None else tuple(context.split())
    return QueryFacts(
        **{
            "key": "q1",
            "answer": "An answer.",
            "answerable": True,
            "correct": False,
            "abstained": False,
            "candidates": slots if candidates is None else tuple(candidates.split()),
            "context": slots,
            "gold": None if gold is None else frozenset(gold.split()),
            **other,
        }
    )


def claims(supported: int, total: int, by: str = "A") -> tuple[ClaimFacts, ...]:
    """Return `total` claims of which the first `supported` are supported by the chunks `by`."""
    return tuple(claim(f"c{n}", n < supported, by if n < supported else "") for n in range(total))
