"""The gold patch: what accepted challenges changed, as a diff of the evaluation set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labeling.export.lines import json_lines
from triage.models import GoldRevision, Query, Run

GOLD_FORMATS = ("jsonl", "trec")


def gold_file(run: Run, to: str) -> str:
    """Return added and removed gold ids and corrected references against the file, as `jsonl`; or all gold as qrels.

    TREC qrels cannot say that an id was removed, so they hold the whole gold of each query as accepted now.
    """
    rows = list(_patches(run))
    if to == "jsonl":
        return json_lines(rows)
    lines = (f"{_token(row['query'])} 0 {_token(chunk)} 1\n" for row in rows for chunk in row["gold"])
    return "".join(lines)


def _token(words: str) -> str:
    """Return an id as one column of a TREC file: no blank in it."""
    return "_".join(words.split()) or "_"


def _patches(run: Run) -> Iterable[dict[str, Any]]:
    """Yield one patch per query whose gold differs from the file's, by place in the file."""
    revisions = GoldRevision.objects.current(run)
    queries = Query.objects.filter(run=run, key__in=revisions).order_by("position")
    for query in queries:
        revision = revisions[query.key]
        before, after = set(query.gold or []), set(revision.gold or [])
        changed_reference = revision.reference is not None and revision.reference != query.reference
        if before == after and not changed_reference and revision.answerable == query.answerable:
            continue
        yield {
            "evaluation_set": run.evaluation_set,
            "query": query.key,
            "question": query.question,
            "gold_version": revision.version,
            "added": sorted(after - before),
            "removed": sorted(before - after),
            "gold": sorted(after),
            "reference": revision.reference if changed_reference else None,
            "answerable": revision.answerable,
        }
