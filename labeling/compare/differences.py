"""Paired differences of every per-query metric, summed by the database."""

from __future__ import annotations

from django.db import connection

from labeling.core.arms import Sums
from labeling.core.paired import MOST_FLIPS
from triage.models import Run

#: metric -> its column on the paired rows
COLUMNS: dict[str, str] = {
    "context_precision": "metrics.context_precision",
    "context_precision_at_ranks": "metrics.context_precision_at_ranks",
    "context_recall": "metrics.context_recall",
    "candidate_recall": "metrics.candidate_recall",
    "faithfulness": "metrics.faithfulness",
    "support_from_gold": "metrics.support_from_gold",
    "answer_relevance": "metrics.answer_relevance",
    "citation_precision": "metrics.citation_precision",
    "citation_coverage": "metrics.citation_coverage",
    "context_tokens": "query.context_tokens",
    "latency_ms": "query.latency_ms",
    "cost": "query.cost",
}


def _side(alias: str, column: str) -> str:
    table, _, name = column.partition(".")
    return f"{alias}{'_metrics' if table == 'metrics' else ''}.{name}"


def _difference(column: str) -> str:
    return f"{_side('now', column)} - {_side('before', column)}"


def _sums(column: str) -> str:
    difference = _difference(column)
    moved = f"array_agg({difference} ORDER BY now.position) FILTER (WHERE {difference} <> 0)"
    return f"count({difference}), sum({difference}), sum(power({difference}, 2)), ({moved})[:%(most)s]"


#: The names above are ours, so is every word of this statement; the runs come as parameters.
SUMS = f"""
SELECT {", ".join(_sums(column) for column in COLUMNS.values())}
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND before.question = now.question
LEFT JOIN triage_querymetrics AS now_metrics ON now_metrics.query_id = now.id
LEFT JOIN triage_querymetrics AS before_metrics ON before_metrics.query_id = before.id
WHERE now.run_id = %(now)s
"""  # noqa: S608 - built from COLUMNS alone

#: Ids and places of answerable queries wrong before and right now that had their evidence in the prompt before.
BURIED = """
SELECT now.key, now.position
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND before.question = now.question
JOIN triage_querymetrics AS before_metrics ON before_metrics.query_id = before.id
WHERE now.run_id = %(now)s AND now.correct AND NOT before.correct AND now.answerable
    AND before_metrics.context_recall >= %(least)s
ORDER BY now.position
"""


def paired_sums(now: Run, before: Run) -> dict[str, Sums]:
    """Return the sums of every metric's paired differences, now minus before: one statement."""
    with connection.cursor() as cursor:
        cursor.execute(SUMS, {"now": now.pk, "before": before.pk, "most": MOST_FLIPS + 1})
        row = cursor.fetchone()
    found = {}
    for place, metric in enumerate(COLUMNS):
        n, total, squares, moved = row[4 * place : 4 * place + 4]
        exact = None if moved is not None and len(moved) > MOST_FLIPS else tuple(moved or ())
        found[metric] = Sums(n, total or 0.0, squares or 0.0, exact)
    return found


def buried(now: Run, before: Run, least: float) -> list[tuple[str, int]]:
    """Return (id, place) of each query that had its evidence, was wrong, and is right without the rest."""
    with connection.cursor() as cursor:
        cursor.execute(BURIED, {"now": now.pk, "before": before.pk, "least": least})
        return [(key, position) for key, position in cursor.fetchall()]
