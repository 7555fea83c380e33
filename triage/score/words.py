"""The judges' words as rows: inserted once, whatever the number of deliveries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from triage.core.judging import JudgeIdentity, PairScore, RelevanceScore
from triage.judges.panel import JudgeWords
from triage.models import Judge, Score
from triage.score.attempts import finish
from triage.score.cases import Case

#: Rows that go to the database in one statement.
_BATCH = 5_000
#: A row that is there already stays. Sent as JSON: a model instance a row would cost more than all the rest.
_INSERT = """
    INSERT INTO triage_score (judge_id, query_id, claim_id, chunk_id, value, label, error, raw, evidence_start,
                              evidence_end)
    SELECT (r->>0)::bigint, (r->>1)::bigint, (r->>2)::bigint, (r->>3)::bigint, (r->>4)::float8, r->>5, r->>6, r->>7,
           (r->>8)::int, (r->>9)::int
    FROM jsonb_array_elements(%s::jsonb) r ON CONFLICT DO NOTHING
"""


class ScoreRow(NamedTuple):
    """The columns of a `Score` but its id, in the order of the statement."""

    judge: int
    query: int
    claim: int | None = None
    chunk: int | None = None
    value: float | None = None
    label: str = ""
    error: str = ""
    raw: str = ""
    evidence_start: int | None = None
    evidence_end: int | None = None


def pair_rows(case: Case, said: Sequence[JudgeWords], judges: Mapping[str, Judge]) -> list[ScoreRow]:
    """Return the rows of the words on a case's claims."""
    rows = []
    for by in said:
        judge = judges[by.identity.fingerprint].id
        rows += [_pair_row(case, judge, word) for word in by.words if word.chunk is None or word.chunk in case.chunks]
    return rows


def _pair_row(case: Case, judge: int, word: PairScore) -> ScoreRow:
    chunk = None if word.chunk is None else case.chunks[word.chunk].pk
    spoken = (word.score, word.label or "", word.error, word.raw)
    return ScoreRow(judge, case.query, int(word.claim), chunk, *spoken, *(word.evidence or (None, None)))


def answer_rows(
    case: Case, said: Sequence[tuple[JudgeIdentity, RelevanceScore]], judges: Mapping[str, Judge]
) -> list[ScoreRow]:
    """Return the rows of the words on a case's answer."""
    return [
        ScoreRow(judges[identity.fingerprint].id, case.query, value=word.score, error=word.error, raw=word.raw)
        for identity, word in said
    ]


def forget_errors(queries: Sequence[int], judges: Iterable[Judge]) -> None:
    """Remove what these judges failed at: an error was no word, so a later attempt takes its place."""
    Score.objects.filter(query__in=queries, judge__in=list(judges)).exclude(error="").delete()


def save(rows: Sequence[ScoreRow], panel: str, done: Sequence[int]) -> None:
    """Insert rows and mark the queries done, in one transaction. A row that is there already stays."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            for start in range(0, len(rows), _BATCH):
                cursor.execute(_INSERT, [json.dumps(rows[start : start + _BATCH], allow_nan=False)])
        finish(done, panel)
