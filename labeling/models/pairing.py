"""Two runs over the same queries, paired by id within the database: a few rows whatever their size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from triage.models import Run, Suggestion

#: Pairs by id, grouped by what became of them, with the ids and places of their queries now.
PAIRS = """
SELECT before.correct, earlier.label, now.correct, current.label, now.question = before.question,
    array_agg(now.key ORDER BY now.position), array_agg(now.position ORDER BY now.position)
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
LEFT JOIN triage_suggestion AS current ON current.query_id = now.id AND current.is_current
LEFT JOIN triage_suggestion AS earlier ON earlier.query_id = before.id AND earlier.is_current
WHERE now.run_id = %(now)s
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5
"""
#: Decided pairs by the value of one slice key (of the query as it is now): both right, lost, won, both wrong.
SLICES = """
SELECT now.slices ->> %(key)s,
    count(*) FILTER (WHERE before.correct AND now.correct),
    count(*) FILTER (WHERE before.correct AND NOT now.correct),
    count(*) FILTER (WHERE NOT before.correct AND now.correct),
    count(*) FILTER (WHERE NOT before.correct AND NOT now.correct)
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND before.question = now.question
WHERE now.run_id = %(now)s AND now.correct IS NOT NULL AND before.correct IS NOT NULL
GROUP BY 1
ORDER BY 1
"""
CORRECT = "correct"
NOT_CLASSIFIED = "not classified"


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Queries that went the same way: class before and now (`correct` where it passes), and their ids."""

    before: str | None
    now: str | None
    same_question: bool
    ids: tuple[str, ...]
    positions: tuple[int, ...]

    @property
    def is_paired(self) -> bool:
        """Say whether both runs decided it and asked the same question."""
        return self.same_question and self.before is not None and self.now is not None


def pair_groups(now: Run, before: Run) -> Iterable[PairGroup]:
    """Yield the pairs of two runs, grouped."""
    with connection.cursor() as cursor:
        cursor.execute(PAIRS, {"now": now.pk, "before": before.pk})
        for was_correct, was, is_correct, label, same, ids, positions in cursor.fetchall():
            yield PairGroup(_class(was_correct, was), _class(is_correct, label), same, tuple(ids), tuple(positions))


def slice_pairs(now: Run, before: Run, key: str) -> list[tuple[str | None, tuple[int, int, int, int]]]:
    """Return (value, cells) of each value of a slice key; None = queries that do not carry it."""
    with connection.cursor() as cursor:
        cursor.execute(SLICES, {"now": now.pk, "before": before.pk, "key": key})
        return [(value, tuple(cells)) for value, *cells in cursor.fetchall()]


def _class(correct: bool | None, label: str | None) -> str | None:
    """Return the class of a failing query, `correct` for a passing one, None for one that is undecided."""
    if correct is None:
        return None
    return CORRECT if correct else label or NOT_CLASSIFIED


def judges_of(run: Run) -> set[str]:
    """Return the fingerprints of the judges that the run's classes rest on."""
    return judges_of_runs([run])[run.pk]


def judges_of_runs(runs: Sequence[Run]) -> dict[int, set[str]]:
    """Return the same for several runs, by id: as their last classification noted it, else by their suggestions."""
    found = {run.pk: set(run.summary.get("judges", ())) for run in runs}
    if silent := [run.pk for run in runs if "judges" not in run.summary]:
        filed = Suggestion.objects.filter(query__run__in=silent, is_current=True, query__correct=False)
        for run, judges in filed.order_by().values_list("query__run", "judges").distinct():
            found[run].update(judges)
    return found
