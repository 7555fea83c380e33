"""What the machine said of one query, in two statements. Read for revealed items only."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from triage.models import Judge, QueryMetrics, Suggestion
from triage.models.prepared import prepared

FILING = """
SELECT
    (SELECT to_json(filed) FROM (
        SELECT label, would_be, test, value, threshold, missing, reasons, proposed_sub_cause, policy_fingerprint,
            judges, gold_version
        FROM triage_suggestion WHERE query_id = %(query)s AND is_current) AS filed),
    (SELECT to_json(measured) FROM (
        SELECT context_recall, faithfulness, answer_relevance, reasons FROM triage_querymetrics
        WHERE query_id = %(query)s) AS measured)
"""

SCORES = """
SELECT score.id, score.claim_id, score.value, score.label, score.evidence_start, score.evidence_end,
    chunk.key, judge.id, judge.fingerprint, judge.name, judge.task, judge.model, judge.revision,
    judge.prompt_hash, judge.threshold
FROM triage_score AS score JOIN triage_judge AS judge ON judge.id = score.judge_id
LEFT JOIN triage_chunk AS chunk ON chunk.id = score.chunk_id
WHERE score.query_id = %s AND score.claim_id IS NOT NULL
"""

#: What a judge is known by, as SCORES reads it: a moved threshold makes another fingerprint of all the rest.
IDENTITY = ("fingerprint", "name", "task", "model", "revision", "prompt_hash", "threshold")


def filing_of(query_id: int) -> tuple[Suggestion | None, QueryMetrics | None]:
    """Return where the query is filed now, and what was measured of it."""
    with prepared() as cursor:
        cursor.execute(FILING, {"query": query_id})
        filed, measured = map(_read, cursor.fetchone())
    return Suggestion(**filed) if filed else None, QueryMetrics(**measured) if measured else None


class Heard(NamedTuple):
    """A judge's word on a claim and the chunk of a key (None = the context as a whole), as a Score row has it."""

    pk: int
    claim_id: int
    value: float | None
    label: str
    evidence_start: int | None
    evidence_end: int | None
    chunk: str | None
    judge: Judge


def scores_of(query_id: int) -> list[Heard]:
    """Return the judges' words on the query's claims, each with its judge and the key of its chunk."""
    judges: dict[int, Judge] = {}
    with prepared() as cursor:
        cursor.execute(SCORES, [query_id])
        return [Heard._make((*row[:7], _judge(judges, *row[7:]))) for row in cursor.fetchall()]


def _judge(judges: dict[int, Judge], pk: int, *identity: Any) -> Judge:
    """Return the judge of a row: one object, however many words it has."""
    if pk not in judges:
        judges[pk] = Judge(id=pk, **dict(zip(IDENTITY, identity, strict=True)))
    return judges[pk]


def _read(column: Any) -> Any:  # noqa: ANN401 - whatever the statement built
    """Return a JSON column as values, whether or not the driver has read it."""
    return json.loads(column) if isinstance(column, str) else column
