"""The worklist as a file: CSV for a spreadsheet, JSON for a ticket system. The same state gives the same bytes."""

from __future__ import annotations

import json
from typing import Any

from labeling.core.csv_text import to_csv
from labeling.core.mending import Evidence, Faulty
from labeling.core.tables import Column, Missing, Table, Text, number
from labeling.mend.listing import faulty_documents
from triage import journal
from triage.models import Run

MEND_FORMATS = ("json", "csv")
COLUMNS = (
    *(Column(name, name) for name in ("document", "fault", "state", "title", "url", "updated_at", "others")),
    *(Column(name, name, is_number=True) for name in ("queries", *map(str, Evidence))),
    *(Column(name, name) for name in ("query_ids", "mended_by", "mended_at", "note")),
)


def handed_out(run: Run, to: str) -> str:
    """Return the worklist as it leaves the product, and write that it did."""
    journal.note("worklist.downloaded", run.project_id, run.key, new={"format": to})
    return mend_file(run, to)


def mend_file(run: Run, to: str) -> str:
    """Return the worklist in one of MEND_FORMATS."""
    told = [_told(one) for one in faulty_documents(run)]
    if to == "csv":
        return to_csv(Table(COLUMNS, tuple(_row(one) for one in told)))
    body = {"run": run.key, "name": run.name, "release": run.release, "documents": told}
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _told(one: Faulty) -> dict[str, Any]:
    mark = one.mark
    return {
        "document": one.document,
        "fault": str(one.fault),
        "state": str(one.state),
        "title": one.title,
        "url": one.url,
        "updated_at": one.updated_at.isoformat() if one.updated_at else None,
        "others": list(one.others),
        "queries": [{"id": hurt.key, "evidence": str(hurt.evidence)} for hurt in one.hurt],
        "mended": {"by": mark.by, "at": mark.at.isoformat(), "note": mark.note} if mark else None,
    }


def _row(told: dict[str, Any]) -> tuple[Text | Missing | Any, ...]:
    mended, queries = told["mended"], told["queries"]
    words = [told[name] for name in ("document", "fault", "state", "title", "url")]
    words += [told["updated_at"] or "not said", "; ".join(told["others"])]
    counts = [sum(one["evidence"] == evidence for one in queries) for evidence in Evidence]
    after = ["; ".join(one["id"] for one in queries)]
    after += [mended["by"], mended["at"], mended["note"]] if mended else ["", "", ""]
    return (*map(Text, words), *map(number, (len(queries), *counts)), *map(Text, after))
