"""Every verdict of a run: the current ones, or with their history."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labeling.export.lines import csv_rows, json_lines, pseudonym
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


def verdicts_file(run: Run, to: str, *, history: bool = False) -> str:
    """Return the verdicts on queries and claims, by place in the file and time, as `jsonl` or `csv`."""
    rows = sorted([*_queries(run, history), *_claims(run, history)], key=lambda row: row.pop("order"))
    return json_lines(rows) if to == "jsonl" else csv_rows(rows, COLUMNS)


def _reviewer(run: Run, row: Verdict | ClaimVerdict) -> str:
    return pseudonym(run.project_id, row.imported_reviewer or str(row.reviewer_id))


def _queries(run: Run, history: bool) -> Iterable[dict[str, Any]]:
    rows = Verdict.objects.filter(query__run=run).select_related("query")
    if not history:
        rows = rows.filter(is_current=True, withdrawn=False)
    for row in rows.order_by("query__position", "pk"):
        yield {
            "order": (row.query.position, 0, row.pk),
            "run": run.key,
            "query": row.query.key,
            "claim": None,
            "chunk": None,
            "label": row.label or None,
            "sub_cause": row.sub_cause or None,
            "note": row.note or None,
            "reviewer": _reviewer(run, row),
            "at": row.created_at.isoformat(),
            "stage": row.stage,
            "blind": row.blind,
            "drawn": row.drawn or None,
            "current": row.is_current and not row.withdrawn,
            "withdrawn": row.withdrawn,
            "codebook_version": row.codebook_version,
            "gold_version": row.gold_version,
            "policy": row.policy_fingerprint or None,
            "suggested": row.suggested or None,
        }


def _claims(run: Run, history: bool) -> Iterable[dict[str, Any]]:
    rows = ClaimVerdict.objects.filter(claim__query__run=run).select_related("claim__query", "chunk")
    if not history:
        rows = rows.filter(is_current=True, withdrawn=False)
    for row in rows.order_by("claim__query__position", "claim__position", "pk"):
        yield {
            "order": (row.claim.query.position, 1, row.pk),
            "run": run.key,
            "query": row.claim.query.key,
            "claim": row.claim.text,
            "chunk": row.chunk.key if row.chunk else None,
            "label": row.label,
            "reviewer": _reviewer(run, row),
            "at": row.created_at.isoformat(),
            "stage": row.stage,
            "blind": row.blind,
            "current": row.is_current and not row.withdrawn,
            "withdrawn": row.withdrawn,
        }
