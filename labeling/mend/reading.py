"""The statements behind the worklist: which documents the failing queries of a run rest on. Three of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection

from triage.models import Run

#: A failing query with the cause people decided on, else the one the machine proposes. Not a failure: left out.
FAILING = """
failing AS MATERIALIZED (
    SELECT query.id, query.position, query.key, query.gold,
        COALESCE(outcome.state = 'final', false) AS is_final,
        CASE WHEN outcome.state = 'final' THEN outcome.sub_cause ELSE suggestion.proposed_sub_cause END AS cause
    FROM triage_query AS query
    LEFT JOIN labeling_outcome AS outcome ON outcome.query_id = query.id
    LEFT JOIN triage_suggestion AS suggestion ON suggestion.query_id = query.id AND suggestion.is_current
    WHERE query.run_id = %(run)s AND query.correct = false
        AND NOT COALESCE(outcome.state = 'final' AND outcome.label = 'not_a_failure', false)
)
"""
DOCUMENT = "COALESCE(NULLIF(chunk.document, ''), chunk.key)"

#: Superseded documents in prompts of failing queries, unless people named another cause.
SUPERSEDED = f"""
WITH {FAILING}, held AS (
    SELECT DISTINCT {DOCUMENT} AS document, failing.position, failing.key,
        CASE WHEN failing.cause = 'superseded_document' AND failing.is_final THEN 'people'
             WHEN failing.cause = 'superseded_document' THEN 'machine' ELSE 'seen' END AS evidence
    FROM failing
    JOIN triage_retrieved AS slot ON slot.query_id = failing.id AND slot.in_context
    JOIN triage_chunk AS chunk ON chunk.id = slot.chunk_id AND chunk.superseded_by <> ''
    WHERE failing.cause = 'superseded_document' OR NOT failing.is_final
)
SELECT document, array_agg(position ORDER BY position), array_agg(key ORDER BY position),
    array_agg(evidence ORDER BY position)
FROM held GROUP BY document
"""  # noqa: S608 - built from the constants above alone

#: (query, evidence, documents): claims that one document supports and another contradicts, by people's marks and by
#: the judges' words; and queries people filed under contradicting documents, with what they marked or the gold.
CONTRADICTING = f"""
WITH {FAILING}, said AS (
    SELECT claim.query_id, claim.id AS claim_id, mark.label, {DOCUMENT} AS document, 'people' AS evidence
    FROM failing
    JOIN triage_claim AS claim ON claim.query_id = failing.id AND claim.is_current
    JOIN labeling_claimverdict AS mark ON mark.claim_id = claim.id AND mark.is_current AND NOT mark.withdrawn
    JOIN triage_chunk AS chunk ON chunk.id = mark.chunk_id
    UNION ALL
    SELECT claim.query_id, claim.id, score.label, {DOCUMENT}, 'machine'
    FROM failing
    JOIN triage_claim AS claim ON claim.query_id = failing.id AND claim.is_current
    JOIN triage_score AS score ON score.claim_id = claim.id AND score.label IN ('supported', 'contradicted')
    JOIN triage_chunk AS chunk ON chunk.id = score.chunk_id
    WHERE NOT failing.is_final
), split AS (
    SELECT query_id, evidence, array_agg(DISTINCT document) AS documents
    FROM said WHERE label IN ('supported', 'contradicted')
    GROUP BY query_id, claim_id, evidence
    HAVING count(DISTINCT label) = 2 AND count(DISTINCT document) > 1
), decided AS (
    SELECT failing.id AS query_id, 'people' AS evidence,
        COALESCE(
            (SELECT array_agg(DISTINCT said.document) FROM said WHERE said.query_id = failing.id
                AND said.evidence = 'people'),
            (SELECT array_agg(DISTINCT {DOCUMENT}) FROM triage_retrieved AS slot
                JOIN triage_chunk AS chunk ON chunk.id = slot.chunk_id
                WHERE slot.query_id = failing.id AND slot.in_context AND chunk.key = ANY(failing.gold))
        ) AS documents
    FROM failing WHERE failing.is_final AND failing.cause = 'contradicting_documents'
)
SELECT failing.position, failing.key, told.evidence, told.documents
FROM (SELECT * FROM split UNION ALL SELECT * FROM decided) AS told
JOIN failing ON failing.id = told.query_id
WHERE told.documents IS NOT NULL
ORDER BY failing.position, told.evidence, told.documents
"""  # noqa: S608 - built from the constants above alone

#: What a run's corpus and prompts say of these documents.
FACTS = f"""
SELECT {DOCUMENT} AS document, max(chunk.title), max(chunk.url), max(chunk.updated_at),
    array_agg(DISTINCT chunk.superseded_by) FILTER (WHERE chunk.superseded_by <> '')
FROM triage_runchunk AS held JOIN triage_chunk AS chunk ON chunk.id = held.chunk_id
WHERE held.run_id = %(run)s AND {DOCUMENT} = ANY(%(documents)s)
GROUP BY 1
"""  # noqa: S608 - built from the constants above alone


def rows(statement: str, run: Run, documents: Iterable[str] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of one of the statements above."""
    with connection.cursor() as cursor:
        cursor.execute(statement, {"run": run.pk, "documents": list(documents)})
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found
