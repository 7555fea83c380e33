"""Everything small that a card shows, in one statement: it is asked for all day, a statement costs a millisecond.

Nothing the machine said is read here. Chunks with their texts are a second statement (labeling/cards/evidence.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from labeling.codebook import Codebook, codebook_from
from labeling.models import ClaimVerdict, GoldChallenge, SessionItem, Verdict
from labeling.models.sessions import CASE_COLUMNS
from triage.models import Citation, Claim, Query
from triage.models.prepared import prepared

CARD = f"""
SELECT {CASE_COLUMNS.sql},
    (SELECT to_json(found) FROM (
        SELECT gold, reference, answerable FROM triage_goldrevision
        WHERE project_id = %(project)s AND evaluation_set = %(set)s AND query_key = query.key
        ORDER BY version DESC, id DESC LIMIT 1) AS found),
    (SELECT json_agg(said ORDER BY id) FROM (
        SELECT id, label, sub_cause, note, is_current, withdrawn, blind, seconds, created_at FROM labeling_verdict
        WHERE query_id = %(query)s AND reviewer_id = %(user)s) AS said),
    (SELECT json_agg(json_build_array(slot.rank, chunk.key, chunk.document) ORDER BY slot.rank)
        FROM triage_retrieved AS slot JOIN triage_chunk AS chunk ON chunk.id = slot.chunk_id
        WHERE slot.query_id = %(query)s AND NOT slot.in_context),
    (SELECT json_agg(cut ORDER BY position, id) FROM (
        SELECT id, position, text, span_start, span_end FROM triage_claim
        WHERE query_id = %(query)s AND is_current) AS cut),
    (SELECT json_agg(mark ORDER BY is_current, id) FROM (
        SELECT said.id, said.claim_id, said.label, said.chunk_id, said.evidence_start, said.evidence_end,
            said.is_current
        FROM labeling_claimverdict AS said JOIN triage_claim AS claim ON claim.id = said.claim_id
        WHERE claim.query_id = %(query)s AND claim.is_current AND said.reviewer_id = %(user)s) AS mark),
    (SELECT json_agg(cites ORDER BY claim_id, position) FROM (
        SELECT cited.id, cited.claim_id, cited.position, cited.cited, cited.chunk_id, cited.whole_document
        FROM triage_citation AS cited JOIN triage_claim AS claim ON claim.id = cited.claim_id
        WHERE claim.query_id = %(query)s AND claim.is_current) AS cites),
    (SELECT json_agg(raised ORDER BY id) FROM (
        SELECT id, kind, note, state FROM labeling_goldchallenge
        WHERE query_id = %(query)s AND raised_by_id = %(user)s) AS raised),
    (SELECT to_json(found) FROM (
        SELECT version, sub_causes FROM labeling_codebookversion WHERE project_id = %(project)s
        ORDER BY version DESC LIMIT 1) AS found)
FROM triage_query AS query WHERE query.id = %(query)s
"""  # noqa: S608 - our own columns


@dataclass(frozen=True, slots=True)
class Gold:
    """What counts as gold: as people accepted it last, else as the file has it."""

    keys: tuple[str, ...]
    reference: str | None
    is_answerable: bool


@dataclass(frozen=True, slots=True)
class CardRows:
    """The rows of one query that a card for one reviewer is made of."""

    gold: Gold
    #: The reviewer's own verdicts, the oldest first.
    verdicts: tuple[Verdict, ...]
    #: (rank, chunk key, document) of what was retrieved and did not reach the prompt.
    others: tuple[tuple[int, str, str], ...]
    claims: tuple[Claim, ...]
    #: The reviewer's own marks on these claims, those that stand last.
    marks: tuple[ClaimVerdict, ...]
    citations: tuple[Citation, ...]
    #: Raised by this reviewer.
    challenges: tuple[GoldChallenge, ...]
    codebook: Codebook


def card_rows(item: SessionItem, user_id: int) -> CardRows:
    """Read the rows of a card, and the item's query with them: `item.case()` has it from then on.

    The session's run must be loaded with the item.
    """
    run = item.session.run
    values: dict[str, int | str] = {
        "query": item.query_id,
        "user": user_id,
        "project": run.project_id,
        "set": run.evaluation_set,
    }
    with prepared() as cursor:
        cursor.execute(CARD, values)
        row = cursor.fetchone()
    item.query = CASE_COLUMNS.object(row)
    query = item.case()
    gold, verdicts, others, claims, marks, citations, challenges, codebook = map(_read, row[len(CASE_COLUMNS) :])
    return CardRows(
        gold=_gold(query, gold),
        verdicts=tuple(_verdict(row) for row in verdicts or ()),
        others=tuple((rank, key, document) for rank, key, document in others or ()),
        claims=tuple(Claim(query_id=query.pk, **row) for row in claims or ()),
        marks=tuple(ClaimVerdict(**row) for row in marks or ()),
        citations=tuple(Citation(**row) for row in citations or ()),
        challenges=tuple(GoldChallenge(**row) for row in challenges or ()),
        codebook=codebook_from(codebook),
    )


def gold_of(item: SessionItem) -> Gold:
    """Return the gold that counts for the item's query now."""
    return card_rows(item, 0).gold


def _read(column: Any) -> Any:  # noqa: ANN401 - whatever the statement built
    """Return a JSON column as values, whether or not the driver has read it."""
    return json.loads(column) if isinstance(column, str) else column


def _gold(query: Query, newest: dict[str, Any] | None) -> Gold:
    """Return the newest accepted gold, else that of the file."""
    if newest is None:
        return Gold(tuple(dict.fromkeys(query.gold or [])), query.reference, query.answerable)
    reference = query.reference if newest["reference"] is None else newest["reference"]
    return Gold(tuple(dict.fromkeys(newest["gold"] or [])), reference, newest["answerable"])


def _verdict(row: dict[str, Any]) -> Verdict:
    return Verdict(**{**row, "created_at": datetime.fromisoformat(row["created_at"])})
