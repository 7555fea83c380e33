"""Every verdict of a run: the current ones, or with their history; in constant memory whatever their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from heapq import merge
from operator import itemgetter
from typing import Any

from django.db.models import Q

from labeling.export.lines import csv_pieces, json_pieces, pseudonym
from labeling.models import ClaimVerdict, Verdict
from triage.models import Run

VERDICT_FORMATS = ("jsonl", "csv")
COLUMNS = (
    "run",
    "query",
    "claim",
    "chunk",
    "label",
    "sub_cause",
    "note",
    "reviewer",
    "at",
    "stage",
    "blind",
    "drawn",
    "current",
    "withdrawn",
    "codebook_version",
    "gold_version",
    "policy",
    "suggested",
)
#: Rows the server hands over at a time.
AT_ONCE = 2_000
#: The last three make the reviewer's key and say whether the verdict stands.
_SHARED = ("label", "created_at", "stage", "blind", "withdrawn", "imported_reviewer", "reviewer_id", "is_current")
_ON_QUERY = ("sub_cause", "note", "drawn", "codebook_version", "gold_version", "policy_fingerprint", "suggested")

#: Place in the file, queries before their claims, oldest first: two verdicts never share it.
Order = tuple[int, int, int]
Placed = tuple[Order, dict[str, Any]]
Named = Callable[[str], str]


def verdicts_file(run: Run, to: str, *, history: bool = False) -> Iterator[str]:
    """Yield the verdicts on queries and claims, by place in the file and time, as pieces of `jsonl` or `csv`."""

    @cache
    def named(reviewer: str) -> str:
        return pseudonym(run.project_id, reviewer)

    placed = merge(_queries(run, named, history), _claims(run, named, history), key=itemgetter(0))
    rows = (row for _, row in placed)
    return json_pieces(rows) if to == "jsonl" else csv_pieces(rows, COLUMNS)


def _standing(*, history: bool) -> Q:
    return Q() if history else Q(is_current=True, withdrawn=False)


def _queries(run: Run, named: Named, history: bool) -> Iterator[Placed]:
    rows = Verdict.objects.filter(_standing(history=history), query__run=run).order_by("query__position", "pk")
    columns = ("query__position", "pk", "query__key", *_ON_QUERY, *_SHARED)
    for position, pk, query, *rest in rows.values_list(*columns).iterator(chunk_size=AT_ONCE):
        cause, note, drawn, codebook, gold, policy, suggested, *shared = rest
        told = _shared(named, *shared)
        yield (
            (position, 0, pk),
            {
                "run": run.key,
                "query": query,
                "claim": None,
                "chunk": None,
                "label": told["label"] or None,
                "sub_cause": cause or None,
                "note": note or None,
                "reviewer": told["reviewer"],
                "at": told["at"],
                "stage": told["stage"],
                "blind": told["blind"],
                "drawn": drawn or None,
                "current": told["current"],
                "withdrawn": told["withdrawn"],
                "codebook_version": codebook,
                "gold_version": gold,
                "policy": policy or None,
                "suggested": suggested or None,
            },
        )


def _claims(run: Run, named: Named, history: bool) -> Iterator[Placed]:
    rows = ClaimVerdict.objects.filter(_standing(history=history), claim__query__run=run)
    columns = ("claim__query__position", "pk", "claim__query__key", "claim__text", "chunk__key", *_SHARED)
    placed = rows.order_by("claim__query__position", "pk").values_list(*columns)
    for position, pk, query, claim, chunk, *shared in placed.iterator(chunk_size=AT_ONCE):
        told = {"run": run.key, "query": query, "claim": claim, "chunk": chunk}
        yield (position, 1, pk), told | _shared(named, *shared)


def _shared(
    named: Named,
    label: str,
    at: datetime,
    stage: str,
    blind: bool,
    withdrawn: bool,
    imported: str,
    reviewer: int | None,
    stands: bool,
) -> dict[str, Any]:
    """Return what both kinds of verdict tell, in the order of a claim's row."""
    return {
        "label": label,
        "reviewer": named(imported or str(reviewer)),
        "at": at.isoformat(),
        "stage": stage,
        "blind": blind,
        "current": stands and not withdrawn,
        "withdrawn": withdrawn,
    }
