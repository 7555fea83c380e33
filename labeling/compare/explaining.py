"""Decided pairs by every value of every slice key of the run: one statement."""

from __future__ import annotations

from collections import defaultdict

from django.db import connection

from labeling.core.explaining import Cells
from labeling.models.pairing import SAME_QUESTION
from triage.models import Run

#: Slice key -> (value, decided pairs: both right, lost, won, both wrong); value None = queries that do not carry it.
SlicePairs = dict[str, list[tuple[str | None, Cells]]]

#: Pairs that are alike are put together first: a run has few different slices, whatever its size. By the slices of the
#: query as it is now. A key that was asked for is counted even where no query carries it.
EVERY_SLICE = f"""
WITH alike AS MATERIALIZED (
    SELECT now.slices, before.correct AS was, now.correct AS is_now, count(*) AS pairs
    FROM triage_query AS now
    JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash AND {SAME_QUESTION}
    WHERE now.run_id = %(now)s AND now.correct IS NOT NULL AND before.correct IS NOT NULL
    GROUP BY 1, 2, 3
), keys AS (SELECT DISTINCT jsonb_object_keys(slices) AS key FROM alike UNION SELECT %(asked)s WHERE %(asked)s <> '')
SELECT keys.key, alike.slices ->> keys.key,
    COALESCE(sum(pairs) FILTER (WHERE was AND is_now), 0)::bigint,
    COALESCE(sum(pairs) FILTER (WHERE was AND NOT is_now), 0)::bigint,
    COALESCE(sum(pairs) FILTER (WHERE NOT was AND is_now), 0)::bigint,
    COALESCE(sum(pairs) FILTER (WHERE NOT was AND NOT is_now), 0)::bigint
FROM alike CROSS JOIN keys
GROUP BY 1, 2
ORDER BY 1, 2
"""  # noqa: S608 - built from SAME_QUESTION alone


def slice_pairs(now: Run, before: Run, asked: str) -> SlicePairs:
    """Return the decided pairs of two runs by every slice key, the one asked for among them; blank = none asked."""
    found: defaultdict[str, list[tuple[str | None, Cells]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(EVERY_SLICE, {"now": now.pk, "before": before.pk, "asked": asked})
        for key, value, both, lost, won, neither in cursor.fetchall():
            found[key].append((value, (both, lost, won, neither)))
    return dict(found)
