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
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"run": run})
        found = dict(zip(COUNTED, cursor.fetchone(), strict=True))
    if missing := [f"{name}: {found[name]:,} of {written[name]:,}" for name in COUNTED if found[name] != written[name]]:
        raise IntegrityError(f"rows that point at nothing: {'; '.join(missing)}")
