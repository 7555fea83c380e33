"""The rows a classification reads, as plain tuples: a model instance a row would cost more than all the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection

from triage.models import Run


class QueryRow(NamedTuple):
    """The columns of a query that facts are made of."""

    pk: int
    position: int
    key: str
    answer: str | None
    reference: str | None
    answerable: bool
    correct: bool | None
    correct_in_file: bool | None
    correct_by: str
    abstained: bool | None
    abstained_in_file: bool | None
    retrieval_known: bool
    gold: list[str] | None
    latency_ms: float | None
    context_tokens: float | None
    #: Recorded scores of the answer as the file gave them.
    scores: list[dict[str, Any]]


class ClaimRow(NamedTuple):
    """One current claim of a query."""

    pk: int
    query: int
    is_recorded: bool


class CitationRow(NamedTuple):
    """One citation of a claim."""

    claim: int
    cited: str
    whole_document: bool


#: (claim, judge, chunk or None for the context as a whole, value, label).
WordRow = tuple[int, int, int | None, float | None, str]

_QUERIES = """
    SELECT id, position, key, answer, reference, answerable, correct, correct_in_file, correct_by, abstained,
           abstained_in_file, retrieval_known, gold, latency_ms, context_tokens, scores
    FROM triage_query WHERE run_id = %s AND id > %s {which} ORDER BY id LIMIT %s {lock}
"""
#: Locked against another classification, not against readers nor rows that point to the query: reviewing goes on.
_EVERY = _QUERIES.format(which="", lock="FOR NO KEY UPDATE")
_FAILING = _QUERIES.format(which="AND NOT correct", lock="")
_SLOTS = """
    SELECT query_id, chunk_id, in_context FROM triage_retrieved
    WHERE query_id = ANY(%s::bigint[]) ORDER BY query_id, rank
"""
#: Whether a text is blank is asked of the database, so that no text leaves it.
_CHUNKS = r"""
    SELECT id, key, coalesce(text ~ '\A\s*\Z', false), superseded_by <> '' FROM triage_chunk
    WHERE id = ANY(%s::bigint[])
"""
_CLAIMS = """
    SELECT id, query_id, recorded <> '[]' FROM triage_claim
    WHERE query_id = ANY(%s::bigint[]) AND is_current ORDER BY query_id, position, id
"""
_CITATIONS = """
    SELECT t.claim_id, t.cited, t.whole_document FROM triage_citation t JOIN triage_claim c ON c.id = t.claim_id
    WHERE c.query_id = ANY(%s::bigint[]) AND c.is_current ORDER BY t.claim_id, t.position, t.id
"""
_WORDS = """
    SELECT claim_id, judge_id, chunk_id, value, label FROM triage_score
    WHERE query_id = ANY(%s::bigint[]) AND claim_id IS NOT NULL AND judge_id = ANY(%s::bigint[])
"""
_RATINGS = """
    SELECT query_id, judge_id, value FROM triage_score
    WHERE query_id = ANY(%s::bigint[]) AND claim_id IS NULL AND value IS NOT NULL AND judge_id = ANY(%s::bigint[])
"""
_SUGGESTIONS = "SELECT id, query_id, basis, is_current FROM triage_suggestion WHERE query_id = ANY(%s::bigint[])"


def next_queries(run: Run, after: int, size: int) -> list[QueryRow]:
    """Return the run's next queries by id, locked until the transaction ends."""
    return _query_rows(_EVERY, run, after, size)


def next_failing(run: Run, after: int, size: int) -> list[QueryRow]:
    """Return the run's next failing queries by id."""
    return _query_rows(_FAILING, run, after, size)


def _query_rows(statement: str, run: Run, after: int, size: int) -> list[QueryRow]:
    rows = _rows(statement, run.pk, after, size)
    return [QueryRow._make([*row, [] if scores == "[]" else json.loads(scores)]) for *row, scores in rows]


def slots(queries: Sequence[int]) -> list[tuple[int, int, bool]]:
    """Return (query, chunk, in context) of what was retrieved for these queries, in rank order."""
    return _rows(_SLOTS, listed(queries))


def chunks(wanted: Sequence[int]) -> list[tuple[int, str, bool, bool]]:
    """Return (id, key, text is blank, is superseded) of these chunks; no text at all is not a blank one."""
    return _rows(_CHUNKS, listed(wanted))


def claims(queries: Sequence[int]) -> Iterator[ClaimRow]:
    """Yield the current claims of these queries, in order."""
    return map(ClaimRow._make, _rows(_CLAIMS, listed(queries)))


def citations(queries: Sequence[int]) -> Iterator[CitationRow]:
    """Yield the citations of those claims, in order."""
    return map(CitationRow._make, _rows(_CITATIONS, listed(queries)))


def words(queries: Sequence[int], judges: Sequence[int]) -> list[WordRow]:
    """Return what these judges said of the claims of these queries."""
    return _rows(_WORDS, listed(queries), listed(judges))


def ratings(queries: Sequence[int], judges: Sequence[int]) -> list[tuple[int, int, float]]:
    """Return (query, judge, value) of what these judges said of the answers."""
    return _rows(_RATINGS, listed(queries), listed(judges))


def suggestions(queries: Sequence[int]) -> list[tuple[int, int, str, bool]]:
    """Return (id, query, basis, is current) of every suggestion these queries ever had."""
    return _rows(_SUGGESTIONS, listed(queries))


def listed(ids: Sequence[int]) -> str:
    """Return ids as an array of the database: the driver would write each of the thousands by a call of its own."""
    return f"{{{','.join(map(str, ids))}}}"


def _rows(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[Any] = cursor.fetchall()
        return rows
