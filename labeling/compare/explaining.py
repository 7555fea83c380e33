"""Names the slice that explains most of a difference, over every slice key of the run: one statement."""

from __future__ import annotations

from collections import defaultdict

from django.db import connection

from labeling.core.explaining import Cells, Explained, explains_most
from triage.models import Run

#: Decided pairs by every key and value, and those of each key that do not carry it (value null).
EVERY_SLICE = """
WITH pairs AS MATERIALIZED (
    SELECT now.slices AS slices, before.correct AS was, now.correct AS is_now
    FROM triage_query AS now
    JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
        AND before.question = now.question
    WHERE now.run_id = %(now)s AND now.correct IS NOT NULL AND before.correct IS NOT NULL
), keys AS (SELECT DISTINCT jsonb_object_keys(slices) AS key FROM pairs)
SELECT keys.key, pairs.slices ->> keys.key,
    count(*) FILTER (WHERE was AND is_now), count(*) FILTER (WHERE was AND NOT is_now),
    count(*) FILTER (WHERE NOT was AND is_now), count(*) FILTER (WHERE NOT was AND NOT is_now)
FROM pairs CROSS JOIN keys
GROUP BY 1, 2
ORDER BY 1, 2
"""


def explained(now: Run, before: Run) -> Explained | None:
    """Return the slice that explains most of the change of accuracy; None where none stands out."""
    slices: defaultdict[str, list[tuple[str | None, Cells]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(EVERY_SLICE, {"now": now.pk, "before": before.pk})
        for key, value, both, lost, won, neither in cursor.fetchall():
            slices[key].append((value, (both, lost, won, neither)))
    return explains_most(slices)
