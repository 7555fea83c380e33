"""What a judge's passes come to where nobody, or not everybody, looked: shares of supported claims, corrected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from django.db import connection

from labeling.core.calibration import Confusion, Judged
from labeling.core.figures import Figure
from labeling.core.items import Item
from labeling.core.rates import Known, corrected_rate, prediction_powered_rate
from triage.core.judging import Task
from triage.models import Judge, Project

#: With at least this many labelled items in a run, its own labels help most.
LEAST_LABELLED = 5
#: Runs looked at, the newest first.
MOST_RUNS = 20

#: Passes of the judge by run: claims (any chunk supports), pairs, or answers.
PASSES = {
    "claims": """
        SELECT run.key, count(*), count(*) FILTER (WHERE claim.passes)
        FROM (
            SELECT score.query_id, score.claim_id,
                bool_or(COALESCE(NULLIF(score.label, '') = 'supported', score.value >= %(threshold)s)) AS passes
            FROM triage_score AS score
            WHERE score.judge_id = ANY(%(judges)s) AND score.claim_id IS NOT NULL AND score.error = ''
            GROUP BY 1, 2
        ) AS claim
        JOIN triage_query AS query ON query.id = claim.query_id
        JOIN triage_run AS run ON run.id = query.run_id AND run.project_id = %(project)s
        GROUP BY run.id, run.key ORDER BY run.id DESC LIMIT %(most)s""",
    "pairs": """
        SELECT run.key, count(*),
            count(*) FILTER (WHERE COALESCE(NULLIF(score.label, '') = 'supported', score.value >= %(threshold)s))
        FROM triage_score AS score
        JOIN triage_query AS query ON query.id = score.query_id
        JOIN triage_run AS run ON run.id = query.run_id AND run.project_id = %(project)s
        WHERE score.judge_id = ANY(%(judges)s) AND score.chunk_id IS NOT NULL AND score.error = ''
        GROUP BY run.id, run.key ORDER BY run.id DESC LIMIT %(most)s""",
    "answers": """
        SELECT run.key, count(*), count(*) FILTER (WHERE score.value >= %(threshold)s)
        FROM triage_score AS score
        JOIN triage_query AS query ON query.id = score.query_id
        JOIN triage_run AS run ON run.id = query.run_id AND run.project_id = %(project)s
        WHERE score.judge_id = ANY(%(judges)s) AND score.claim_id IS NULL AND score.value IS NOT NULL
        GROUP BY run.id, run.key ORDER BY run.id DESC LIMIT %(most)s""",
}


def unit_of(judge: Judge, items: Sequence[Item]) -> str:
    """Return what the comparison counts: answers, claim and chunk pairs, or claims."""
    if judge.task == Task.RELEVANCE:
        return "answers"
    return "pairs" if any(item.chunk for item in items) else "claims"


def rates_elsewhere(project: Project, judge: Judge, items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return for each run the share the judge passes and what it comes to, corrected.

    A run with labels of its own is corrected by prediction-powered inference, the others by Rogan-Gladen with the
    interval of Lee et al.; a judge that tells too little is refused by name.
    """
    usable = [item for item in items if item.is_usable]
    table = Confusion.of([Judged(i.query, i.key, i.human is True, i.judge is True) for i in usable])
    own: defaultdict[str, list[Item]] = defaultdict(list)
    for item in usable:
        own[item.run].append(item)
    unit = unit_of(judge, usable)
    values: dict[str, Any] = {
        "judges": judge.voices,
        "project": project.pk,
        "threshold": judge.threshold,
        "most": MOST_RUNS,
    }
    with connection.cursor() as cursor:
        cursor.execute(PASSES[unit], values)
        found = cursor.fetchall()
    return [_rate(run, unit, Known(passes, n), own[run], table) for run, n, passes in found]


def _rate(run: str, unit: str, judged: Known, labelled: Sequence[Item], table: Confusion) -> dict[str, Any]:
    by_own = len(labelled) >= LEAST_LABELLED and judged.n > len(labelled)
    figure = _powered(judged, labelled) if by_own else corrected_rate(judged, table.negatives, table.positives)
    return {
        "run": run,
        "unit": unit,
        "judged": judged.n,
        "passes": judged.hits,
        "labelled": len(labelled),
        "by": "prediction_powered" if by_own else "rogan_gladen",
        "corrected": figure.as_json(),
    }


def _powered(judged: Known, labelled: Sequence[Item]) -> Figure:
    people = [float(item.human is True) for item in labelled]
    judge = [float(item.judge is True) for item in labelled]
    said = Counter(judge)
    rest = judged.n - len(labelled)
    passes = min(rest, max(0, judged.hits - said[1.0]))
    found = prediction_powered_rate(people, judge, [1.0] * passes + [0.0] * (rest - passes))
    value, low, high = (
        None if end is None else min(1.0, max(0.0, end)) for end in (found.value, found.low, found.high)
    )
    return Figure(value, low, high, found.n, found.undefined)
