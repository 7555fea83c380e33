"""A run as ragas JSON Lines (0.2 and later): `EvaluationDataset.from_jsonl` reads it, and so do we.

Columns as in `ragas`; beside them `id` and the scores that came with the run under their own names. A chunk whose text
is not known cannot be said in ragas: then `retrieved_contexts` is left out and the ids alone are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from triage.core.records import QueryRecord


def ragas_lines(queries: Iterable[QueryRecord], texts: Mapping[str, str]) -> Iterator[str]:
    """Yield one line of JSON per query, in their order, each with its newline.

    Args:
        queries: the queries of one run.
        texts: chunk id -> text, for chunks whose text is not inline.
    """
    for query in queries:
        yield json.dumps(_sample(query, texts), ensure_ascii=False) + "\n"


def _sample(query: QueryRecord, texts: Mapping[str, str]) -> dict[str, Any]:
    sample: dict[str, Any] = {"id": query.id, "user_input": query.question}
    if query.retrieved is not None:
        context = [slot for slot in query.retrieved if slot.in_context]
        known = [slot.text if slot.text is not None else texts.get(slot.id) for slot in context]
        if None not in known:
            sample["retrieved_contexts"] = known
        sample["retrieved_context_ids"] = [slot.id for slot in context]
    if query.gold is not None:
        sample["reference_context_ids"] = query.gold
    sample["response"], sample["reference"] = query.answer, query.reference
    sample |= {score.metric: score.value for score in query.scores if score.metric not in sample}
    return {name: value for name, value in sample.items() if value is not None}
