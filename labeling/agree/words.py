"""What people said of a run, ready to be compared: first blind words only, unblinded ones apart."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass

from labeling.models import ClaimVerdict, Verdict
from labeling.models.verdicts import Stage
from triage.models import Run

GIVEN = [Stage.FIRST, Stage.IMPORTED]


@dataclass(frozen=True, slots=True)
class Word:
    """One person's first word on one item (a query, or a claim) and what the machine said of it then."""

    person: str
    query: int
    #: Names the query or the claim; a pair of claim and chunk where people judged pair by pair.
    item: str
    label: str
    suggested: str
    blind: bool


def label_words(run: Run) -> list[Word]:
    """Return each person's first word on each query, in the order given; notes without a label say nothing."""
    rows = Verdict.objects.filter(query__run=run, withdrawn=False, stage__in=GIVEN).exclude(label="").order_by("pk")
    told = rows.values_list("reviewer_id", "imported_reviewer", "query_id", "label", "suggested", "blind")
    return _firsts(
        [
            Word(imported or str(reviewer), query, str(query), label, suggested, blind)
            for reviewer, imported, query, label, suggested, blind in told
        ]
    )


def claim_words(run: Run) -> list[Word]:
    """Return each person's first mark on each claim."""
    rows = ClaimVerdict.objects.filter(claim__query__run=run, withdrawn=False, stage__in=GIVEN, blind=True)
    told = rows.order_by("pk").values_list(
        "reviewer_id", "imported_reviewer", "claim__query_id", "claim_id", "label", "chunk_id", "stage"
    )
    words = [
        Word(
            imported or str(reviewer),
            query,
            str(claim) if stage == Stage.FIRST else f"{claim}/{chunk}",
            label,
            "",
            True,
        )
        for reviewer, imported, query, claim, label, chunk, stage in told
    ]
    return _firsts(words)


def _firsts(words: list[Word]) -> list[Word]:
    """Return the first word of each person on each item."""
    seen: dict[tuple[str, str], Word] = {}
    for word in words:
        seen.setdefault((word.person, word.item), word)
    return list(seen.values())


def by_item(words: list[Word]) -> dict[str, list[Word]]:
    """Return the words by item, blind ones only."""
    items: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        if word.blind:
            items[word.item].append(word)
    return dict(items)


def basis_of(words: list[Word]) -> str:
    """Return 16 hex digits that change whenever any word does."""
    body = repr([(word.person, word.item, word.label, word.suggested, word.blind) for word in words])
    return hashlib.sha256(body.encode()).hexdigest()[:16]
