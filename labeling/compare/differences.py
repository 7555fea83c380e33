"""Paired differences of every per-query metric, summed by the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Avg, Count

from labeling.core.arms import Sums
from labeling.core.paired import MOST_FLIPS
from labeling.models.pairing import SAME_QUESTION
from triage.models import Query, Run

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


#: Whether an answer exists in the corpus, and whether each arm declined: before, now.
_BOTH = (True, False)
DECLINED = tuple((answerable, before, now) for answerable in _BOTH for before in _BOTH for now in _BOTH)


def _cell(answerable: bool, before: bool, now: bool) -> str:
    outcome = "(now.answerable, before.answerable, before.abstained, now.abstained)"
    return f"count(*) FILTER (WHERE {outcome} = ({answerable}, {answerable}, {before}, {now}))"


#: The names above are ours, so is every word of this statement; the runs come as parameters.
SUMS = f"""
SELECT {", ".join([*(_sums(column) for column in COLUMNS.values()), *(_cell(*cell) for cell in DECLINED)])}
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND {SAME_QUESTION}
LEFT JOIN triage_querymetrics AS now_metrics ON now_metrics.query_id = now.id
LEFT JOIN triage_querymetrics AS before_metrics ON before_metrics.query_id = before.id
WHERE now.run_id = %(now)s
"""  # noqa: S608 - built from COLUMNS and DECLINED alone

#: Ids and places of answerable queries wrong before and right now that had their evidence in the prompt before.
BURIED = f"""
SELECT now.key, now.position
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND {SAME_QUESTION}
JOIN triage_querymetrics AS before_metrics ON before_metrics.query_id = before.id
WHERE now.run_id = %(now)s AND now.correct AND NOT before.correct AND now.answerable
    AND before_metrics.context_recall >= %(least)s
ORDER BY now.position
"""  # noqa: S608 - built from SAME_QUESTION alone

#: Pairs, those whose gold is another set of ids, and those whose prompt holds another share of the gold.
SAME_GOLD = f"""
SELECT count(*),
    count(*) FILTER (WHERE NOT (COALESCE(now.gold, '{{}}') @> COALESCE(before.gold, '{{}}')
        AND COALESCE(before.gold, '{{}}') @> COALESCE(now.gold, '{{}}'))),
    count(*) FILTER (WHERE now_metrics.context_recall IS DISTINCT FROM before_metrics.context_recall)
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND {SAME_QUESTION}
LEFT JOIN triage_querymetrics AS now_metrics ON now_metrics.query_id = now.id
LEFT JOIN triage_querymetrics AS before_metrics ON before_metrics.query_id = before.id
WHERE now.run_id = %(now)s
"""  # noqa: S608 - built from SAME_QUESTION alone
#: Queries of one run that the other does not ask, by id, or asks in other words.
ALONE = """
SELECT mine.key, mine.position
FROM triage_query AS mine
LEFT JOIN triage_query AS other ON other.run_id = %(other)s AND other.key_hash = mine.key_hash
    AND COALESCE(other.question_hash = mine.question_hash, false)
WHERE mine.run_id = %(mine)s AND other.id IS NULL
ORDER BY mine.position
LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class PairedSums:
    """What one pass over the pairs of two runs gives."""

    #: metric -> sums of its paired differences, now minus before
    metrics: dict[str, Sums]
    #: (answerable, declined before, declined now) -> pairs; empty where a run holds no answer at all
    declined: dict[tuple[bool, bool, bool], int]


def paired_sums(now: Run, before: Run) -> PairedSums:
    """Return the sums of every metric's paired differences, and the pairs by who declined: one pass for both."""
    with connection.cursor() as cursor:
        cursor.execute(SUMS, {"now": now.pk, "before": before.pk, "most": MOST_FLIPS + 1})
        row = cursor.fetchone()
    found = {}
    for place, metric in enumerate(COLUMNS):
        n, total, squares, moved = row[4 * place : 4 * place + 4]
        exact = None if moved is not None and len(moved) > MOST_FLIPS else tuple(moved or ())
        found[metric] = Sums(n, total or 0.0, squares or 0.0, exact)
    answered = Query.objects.hold_answers(now) and Query.objects.hold_answers(before)
    cells = dict(zip(DECLINED, row[4 * len(COLUMNS) :], strict=True)) if answered else {}
    return PairedSums(found, cells)


def buried(now: Run, before: Run, least: float) -> list[tuple[str, int]]:
    """Return (id, place) of each query that had its evidence, was wrong, and is right without the rest."""
    with connection.cursor() as cursor:
        cursor.execute(BURIED, {"now": now.pk, "before": before.pk, "least": least})
        return [(key, position) for key, position in cursor.fetchall()]


def same_gold(now: Run, before: Run) -> tuple[int, int, int]:
    """Return (pairs, those with another gold, those whose prompts hold another share of it)."""
    with connection.cursor() as cursor:
        cursor.execute(SAME_GOLD, {"now": now.pk, "before": before.pk})
        paired, other_gold, other_evidence = cursor.fetchone()
    return paired, other_gold, other_evidence


def alone(mine: Run, other: Run, most: int) -> list[tuple[str, int]]:
    """Return (id, place) of the first queries of a run that have no partner in the other."""
    with connection.cursor() as cursor:
        cursor.execute(ALONE, {"mine": mine.pk, "other": other.pk, "most": most})
        return [(key, position) for key, position in cursor.fetchall()]


def costs(runs: Sequence[Run]) -> dict[int, tuple[float | None, int]]:
    """Return run -> (mean cost of a query as the file says it, queries that have one)."""
    rows = Query.objects.filter(run__in=runs).values_list("run").annotate(Avg("cost"), Count("cost"))
    return {run: (mean, n) for run, mean, n in rows}
