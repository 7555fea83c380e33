"""Which queries of a run are handed out next: asked of the rows, by the database's clock."""

from __future__ import annotations

from django.db import connection

from triage.score.attempts import LEASE_S

_OPEN = """
    FROM triage_query q LEFT JOIN triage_scoring s ON s.query_id = q.id AND s.panel = %(panel)s
    WHERE q.run_id = %(run)s AND s.done_at IS NULL AND coalesce(s.quarantined, '') = ''
"""
_LEASE = f"""
    INSERT INTO triage_scoring AS held (query_id, panel, attempts, quarantined, leased_until)
    SELECT q.id, %(panel)s, 0, '', statement_timestamp() + %(seconds)s * interval '1 second'
    {_OPEN} AND (s.leased_until IS NULL OR s.leased_until < statement_timestamp())
    ORDER BY q.position LIMIT %(limit)s
    ON CONFLICT (query_id, panel) DO UPDATE SET leased_until = EXCLUDED.leased_until
    WHERE held.done_at IS NULL AND held.quarantined = ''
      AND (held.leased_until IS NULL OR held.leased_until < statement_timestamp())
    RETURNING query_id
"""
_COUNT = f"SELECT count(*), count(*) FILTER (WHERE s.leased_until >= statement_timestamp()) {_OPEN}"


def lease(run_id: int, panel: str, limit: int) -> list[int]:
    """Hand out up to `limit` queries that nobody holds, in file order. Two callers never get the same one."""
    values: dict[str, int | str] = {"run": run_id, "panel": panel, "limit": max(0, limit), "seconds": LEASE_S}
    with connection.cursor() as cursor:
        cursor.execute(_LEASE, values)
        return sorted(row[0] for row in cursor.fetchall())


def count_open(run_id: int, panel: str) -> tuple[int, int]:
    """Return how many queries are neither done nor given up, and how many of those are handed out."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"run": run_id, "panel": panel})
        left, held = cursor.fetchone()
    return int(left), int(held)
