"""A run as Label Studio tasks (JSON), with what people said as annotations, and the labelling interface to go with it.

The fields of `data` are those of a query, so that `label_studio` reads an export of the same project back. Whether a
verdict was blind, and how the query was drawn, has no place there and is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any

from triage.core.labels import SUB_CAUSES, VERDICT_LABELS, Support
from triage.core.records import HumanVerdictRecord, QueryRecord

_OBJECT = {"from_name": "", "to_name": "answer", "type": ""}


def interface() -> str:
    """Return the labelling interface (XML) that fits the tasks."""
    causes = sorted({cause for causes in SUB_CAUSES.values() for cause in causes})
    return "\n".join(
        [
            "<View>",
            '  <Header value="$question"/>',
            '  <Text name="answer" value="$answer"/>',
            '  <Text name="context" value="$context"/>',
            '  <Labels name="support" toName="answer">',
            *(f'    <Label value="{escape(word)}"/>' for word in Support),
            "  </Labels>",
            '  <Choices name="verdict" toName="answer" choice="single">',
            *(f'    <Choice value="{escape(label)}"/>' for label in VERDICT_LABELS),
            "  </Choices>",
            '  <Choices name="sub_cause" toName="answer" choice="single">',
            *(f'    <Choice value="{escape(cause)}"/>' for cause in causes),
            "  </Choices>",
            '  <TextArea name="note" toName="answer"/>',
            "</View>\n",
        ]
    )


def label_studio_pieces(queries: Iterable[QueryRecord], texts: Mapping[str, str]) -> Iterator[str]:
    """Yield one JSON array of tasks, piece by piece.

    Args:
        queries: the queries of one run, in their order.
        texts: chunk id -> text, for chunks whose text is not inline.
    """
    yield "["
    for number, query in enumerate(queries):
        yield (",\n" if number else "\n") + json.dumps(_task(query, texts), ensure_ascii=False)
    yield "\n]\n"


def _task(query: QueryRecord, texts: Mapping[str, str]) -> dict[str, Any]:
    retrieved = [
        {"id": slot.id, "text": slot.text if slot.text is not None else texts.get(slot.id, "")}
        for slot in query.retrieved or ()
    ]
    data: dict[str, Any] = {
        "query_id": query.id,
        "question": query.question,
        "answer": query.answer or "",
        "reference": query.reference or "",
        "retrieved": retrieved if query.retrieved is not None else None,
        "context": "\n\n".join(f"[{slot['id']}] {slot['text']}" for slot in retrieved),
        "gold": query.gold,
        "correct": query.correct,
        "claims": [{"text": claim.text, "span": claim.span} for claim in query.claims or ()],
    }
    annotations = [_verdict(query.id, number, verdict) for number, verdict in enumerate(query.human)]
    annotations += _marks(query, len(annotations))
    return {"data": {key: value for key, value in data.items() if value is not None}, "annotations": annotations}


def _verdict(key: str, number: int, verdict: HumanVerdictRecord) -> dict[str, Any]:
    result = []
    for name, choice in (("verdict", verdict.label), ("sub_cause", verdict.sub_cause)):
        if choice:
            result.append({**_OBJECT, "from_name": name, "type": "choices", "value": {"choices": [choice]}})
    if verdict.note:
        result.append({**_OBJECT, "from_name": "note", "type": "textarea", "value": {"text": [verdict.note]}})
    return _annotation(key, number, result, verdict.reviewer, verdict.at, adjudicated=verdict.adjudicated)


def _marks(query: QueryRecord, begin: int) -> list[dict[str, Any]]:
    """Return people's marks on claims that have a place in the answer, one annotation per reviewer."""
    regions: dict[str | None, list[dict[str, Any]]] = {}
    answer = query.answer or ""
    for claim in query.claims or ():
        for mark in claim.human if claim.span else ():
            start, end = claim.span or (0, 0)
            value = {"start": start, "end": end, "text": answer[start:end], "labels": [mark.label]}
            regions.setdefault(mark.reviewer, []).append(
                {**_OBJECT, "from_name": "support", "type": "labels", "value": value}
            )
    return [
        _annotation(query.id, begin + number, result, reviewer, None)
        for number, (reviewer, result) in enumerate(regions.items())
    ]


def _annotation(
    key: str,
    number: int,
    result: list[dict[str, Any]],
    reviewer: str | None,
    at: datetime | None,
    *,
    adjudicated: bool = False,
) -> dict[str, Any]:
    numbered = [{"id": f"{key}-{number}-{place}", **item} for place, item in enumerate(result)]
    annotation: dict[str, Any] = {"result": numbered, "was_cancelled": False, "ground_truth": adjudicated}
    if reviewer is not None:
        annotation["completed_by"] = {"email": reviewer}
    if at is not None:
        annotation["created_at"] = at.isoformat()
    return annotation
