"""What a save must know before it may stand, in one statement: a save is the busiest moment of the product."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from labeling.codebook import Codebook, codebook_from
from labeling.models import ReviewSession, Verdict
from triage.models import Suggestion
from triage.models.prepared import prepared

FACTS = """
SELECT
    (SELECT json_agg(said ORDER BY id) FROM (
        SELECT id, query_id, label, sub_cause, note, stage, blind, is_current, withdrawn, suggested, seconds,
            idempotency_key, created_at
        FROM labeling_verdict WHERE query_id = %(query)s AND reviewer_id = %(user)s) AS said),
    (SELECT json_agg(id ORDER BY position, id) FROM triage_claim WHERE query_id = %(query)s AND is_current),
    (SELECT to_json(found) FROM (
        SELECT label, gold_version, policy_fingerprint FROM triage_suggestion
        WHERE query_id = %(query)s AND is_current) AS found),
    (SELECT to_json(found) FROM (
        SELECT version, sub_causes FROM labeling_codebookversion WHERE project_id = %(project)s
        ORDER BY version DESC LIMIT 1) AS found)
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """One reviewer and one query at the moment of a save."""

    #: The reviewer's own verdicts on the query, the oldest first.
    verdicts: tuple[Verdict, ...]
    #: The current claims of the answer: id -> number on the page.
    claims: dict[int, int]
    #: What the machine says now.
    suggested: Suggestion | None
    codebook: Codebook


def facts_of(session: ReviewSession, query_id: int, user_id: int) -> Facts:
    """Read the facts. Call it after the seat is locked: what an earlier save wrote is then seen."""
    with prepared() as cursor:
        cursor.execute(FACTS, {"query": query_id, "user": user_id, "project": session.run.project_id})
        verdicts, claims, suggested, codebook = map(_read, cursor.fetchone())
    return Facts(
        verdicts=tuple(_verdict(row, user_id) for row in verdicts or ()),
        claims={pk: number for number, pk in enumerate(claims or (), 1)},
        suggested=Suggestion(**suggested) if suggested else None,
        codebook=codebook_from(codebook),
    )


def _read(column: Any) -> Any:  # noqa: ANN401 - whatever the statement built
    """Return a JSON column as values, whether or not the driver has read it."""
    return json.loads(column) if isinstance(column, str) else column


def _verdict(row: dict[str, Any], user_id: int) -> Verdict:
    at, key = datetime.fromisoformat(row["created_at"]), UUID(row["idempotency_key"])
    return Verdict(**{**row, "created_at": at, "idempotency_key": key, "reviewer_id": user_id})
