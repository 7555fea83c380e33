"""That rows point at rows that exist: looked at once for all rows of an import, instead of once for each row.

A foreign key looks its row up with a statement of its own, 35 times a query: nearly half of the database's work in an
import. Nearly all of these rows are written by the very same transaction; chunks that were there before are locked
against deletion when they are looked up. So the triggers are left out where the database lets us, and what they would
have shown is asked in one statement at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg
from django.db import IntegrityError, ProgrammingError, connection, transaction

_COUNTS = """
    WITH query AS MATERIALIZED (SELECT id FROM triage_query WHERE run_id = %(run)s)
    SELECT
      (SELECT count(*) FROM query),
      (SELECT count(*) FROM query JOIN triage_retrieved slot ON slot.query_id = query.id
         JOIN triage_chunk chunk ON chunk.id = slot.chunk_id),
      (SELECT count(*) FROM query JOIN triage_claim claim ON claim.query_id = query.id),
      (SELECT count(*) FROM query JOIN triage_claim claim ON claim.query_id = query.id
         JOIN triage_citation citation ON citation.claim_id = claim.id
         LEFT JOIN triage_chunk chunk ON chunk.id = citation.chunk_id
         WHERE citation.chunk_id IS NULL OR chunk.id IS NOT NULL),
      (SELECT count(*) FROM triage_runchunk held JOIN triage_chunk chunk ON chunk.id = held.chunk_id
         WHERE held.run_id = %(run)s)
"""
COUNTED = ("queries", "slots", "claims", "citations", "chunks")
#: What is counted -> the tables it stands in, and the columns by which they are joined.
_JOINED = {
    "queries": (("triage_query", "id, run_id"),),
    "slots": (("triage_retrieved", "query_id, chunk_id"),),
    "claims": (("triage_claim", "id, query_id"),),
    "citations": (("triage_citation", "claim_id, chunk_id"),),
    "chunks": (("triage_runchunk", "run_id, chunk_id"), ("triage_chunk", "id, project_id")),
}
#: The sample is 300 rows times this: the planner has to know how many rows there are, little else.
_STEPS = 10


@contextmanager
def unchecked() -> Iterator[None]:
    """Leave foreign keys unchecked inside, where the database's role may; the caller must call `check` at the end.

    Else they are checked as each statement ends, so that their work and our reading go on at the same time and nothing
    piles up until the end of the transaction.
    """
    with connection.cursor() as cursor:
        try:
            with transaction.atomic():
                cursor.execute("SET LOCAL session_replication_role = replica")
        except ProgrammingError as error:
            if not isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
                raise
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            yield
            return
        yield
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def check(run: int, written: Mapping[str, int]) -> None:
    """Compare the rows that hang together with those that were written, by the names in `COUNTED`.

    Raises:
        IntegrityError: some point at nothing. Nothing of the import may be kept.
    """
    _tell_planner(written)
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"run": run})
        found = dict(zip(COUNTED, cursor.fetchone(), strict=True))
    if missing := [f"{name}: {found[name]:,} of {written[name]:,}" for name in COUNTED if found[name] != written[name]]:
        raise IntegrityError(f"rows that point at nothing: {'; '.join(missing)}")


def _tell_planner(written: Mapping[str, int]) -> None:
    """Have the tables looked at that hold more rows by now than the planner knows of.

    Statistics taken by others while the import ran saw none of its rows: the planner would think a table of millions
    empty, and read it from end to end once for each query, here and in the scoring that follows.
    """
    tables = {name: (count, columns) for key, count in written.items() for name, columns in _JOINED[key]}
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, reltuples FROM pg_class WHERE oid = ANY(%s::regclass[])", [list(tables)])
        known = dict(cursor.fetchall())
        cursor.execute(f"SET LOCAL default_statistics_target = {_STEPS}")
        # In the order of the names, so that two imports wait for each other and never both.
        for name, (count, columns) in sorted(tables.items()):
            if known[name] < count:
                cursor.execute(f"ANALYZE {name} ({columns})")
        cursor.execute("SET LOCAL default_statistics_target TO DEFAULT")
