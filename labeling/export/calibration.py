"""The calibration export: one row per item and judge, with both words and the split (formats.md section 3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from django.http import HttpResponse

from labeling.core.items import Item
from labeling.core.sampling import DEV, split_of
from labeling.export.lines import csv_rows, json_lines, pseudonym
from triage import journal
from triage.models import Judge, Project, Retrieved, RunChunk

COLUMNS = (
    "run",
    "query",
    "claim_id",
    "claim",
    "chunk",
    "judge",
    "model",
    "revision",
    "prompt_hash",
    "threshold",
    "score",
    "judge_label",
    "human_label",
    "labels",
    "adjudicated",
    "blind",
    "split",
    "gold_version",
)
#: What a judge that is fine-tuned on the export is told to do.
INSTRUCTION = "Say whether the passage supports the claim. Answer with one word: supported or unsupported."

#: Everything of one project: (judge, its items).
Compared = list[tuple[Judge, list[Item]]]


def calibration_file(project: Project, compared: Compared, to: str) -> str:
    """Return the export in one of CALIBRATION_FORMATS (KeyError for another)."""
    return CALIBRATION_FORMATS[to][1](project, compared)


def _rows(project: Project, compared: Compared) -> Iterable[dict[str, Any]]:
    for judge, items in compared:
        for item in items:
            yield _row(project, judge, item)


def _row(project: Project, judge: Judge, item: Item) -> dict[str, Any]:
    yes, no = ("supported", "unsupported") if judge.task == "grounding" else ("relevant", "not relevant")
    first = None if item.human is None else yes if item.human else no
    return {
        "run": item.run,
        "query": item.query,
        "claim_id": item.claim_id or None,
        "claim": item.claim,
        "chunk": item.chunk or None,
        "judge": judge.name,
        "model": judge.model,
        "revision": judge.revision,
        "prompt_hash": judge.prompt_hash,
        "threshold": judge.threshold,
        "score": item.score,
        "judge_label": None if item.judge is None else yes if item.judge else no,
        "human_label": item.final or first,
        "labels": {pseudonym(project.pk, person): label for person, label in item.labels},
        "adjudicated": item.adjudicated,
        "blind": bool(item.labels),
        "split": split_of(item.query),
        "gold_version": item.gold_version,
    }


def _arrays(_project: Project, compared: Compared) -> str:
    """Return people's and the judge's words as 0/1 arrays in the same order, per judge."""
    told = {}
    for judge, items in compared:
        usable = [item for item in items if item.is_usable]
        told[judge.fingerprint] = {
            "judge": judge.name,
            "test_labels": [int(item.human is True) for item in usable],
            "test_preds": [int(item.judge is True) for item in usable],
        }
    return json.dumps(told, indent=1) + "\n"


def _messages(project: Project, compared: Compared) -> str:
    """Return the dev split as chat messages to fine-tune a judge with; the test split stays unseen."""
    unique = {(item.run, item.key): item for _, items in compared for item in items if _teaches(item)}
    texts = _texts(project, list(unique.values()))
    rows = []
    for key in sorted(unique):
        item = unique[key]
        passage = texts.get((item.run, item.chunk or f"\x00{item.position}"))
        if passage:
            rows.append(_message(item, passage))
    return json_lines(rows)


def _teaches(item: Item) -> bool:
    return item.human is not None and item.claim_id > 0 and split_of(item.query) == DEV


def _message(item: Item, passage: str) -> dict[str, Any]:
    asked = f"Passage:\n{passage}\n\nClaim:\n{item.claim}"
    answer = "supported" if item.human else "unsupported"
    said = (("system", INSTRUCTION), ("user", asked), ("assistant", answer))
    return {"messages": [{"role": role, "content": content} for role, content in said]}


def _texts(project: Project, items: list[Item]) -> dict[tuple[str, str], str]:
    """Return texts by (run, chunk key), and whole contexts by (run, NUL + position), in two statements."""
    chunks = RunChunk.objects.filter(run__project=project, chunk__key__in={item.chunk for item in items if item.chunk})
    told = chunks.exclude(chunk__text=None).values_list("run__key", "chunk__key", "chunk__text")
    texts = {(run, key): text or "" for run, key, text in told}
    places = {(item.run, item.position) for item in items if not item.chunk}
    slots = Retrieved.objects.filter(
        query__run__project=project, query__position__in={place for _, place in places}, in_context=True
    ).exclude(chunk__text=None)
    contexts: dict[tuple[str, str], list[str]] = {}
    for run, position, text in slots.order_by("query", "rank").values_list(
        "query__run__key", "query__position", "chunk__text"
    ):
        if (run, position) in places:
            contexts.setdefault((run, f"\x00{position}"), []).append(text or "")
    return texts | {place: "\n\n".join(parts) for place, parts in contexts.items()}


#: format -> (content type, how it is made)
CALIBRATION_FORMATS: dict[str, tuple[str, Callable[[Project, Compared], str]]] = {
    "jsonl": ("application/jsonl", lambda project, compared: json_lines(_rows(project, compared))),
    "csv": ("text/csv; charset=utf-8", lambda project, compared: csv_rows(_rows(project, compared), COLUMNS)),
    "judgy": ("application/json", _arrays),
    "openai": ("application/jsonl", _messages),
}


def attachment(project: Project, judge: Judge, items: list[Item], to: str) -> HttpResponse:
    """Return one judge's export as a download."""
    content_type = CALIBRATION_FORMATS[to][0]
    journal.note("calibration.exported", project, judge.fingerprint, new={"format": to, "items": len(items)})
    response = HttpResponse(calibration_file(project, [(judge, items)], to), content_type=content_type)
    ending = {"judgy": "json", "openai": "openai.jsonl"}.get(to, to)
    response.headers["Content-Disposition"] = f'attachment; filename="calibration-{judge.fingerprint}.{ending}"'
    return response
