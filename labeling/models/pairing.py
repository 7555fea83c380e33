"""Two runs over the same queries, paired by id within the database: a few rows whatever their size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from triage.models import Run, Suggestion

#: Pairs by id, grouped by what became of them, with the ids and places of their queries now. Those that passed and pass
#: are most of a good run, and nobody asks which they are: they are only counted, and no class of theirs is looked up.
PAIRS = """
WITH pairs AS MATERIALIZED (
    SELECT before.id AS earlier, now.id AS current, before.correct AS was_correct, now.correct AS is_correct,
        now.question = before.question AS same, now.key AS key, now.position AS position
    FROM triage_query AS now
    JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    WHERE now.run_id = %(now)s
)
SELECT true AS was, null AS before, true AS is, null AS now, same, count(*), '{}'::text[], '{}'::int[]
FROM pairs WHERE was_correct AND is_correct
GROUP BY same
UNION ALL
SELECT was_correct, earlier.label, is_correct, current.label, same, count(*),
    array_agg(key ORDER BY position), array_agg(position ORDER BY position)
FROM pairs
LEFT JOIN triage_suggestion AS current ON current.query_id = pairs.current AND current.is_current AND NOT is_correct
LEFT JOIN triage_suggestion AS earlier ON earlier.query_id = pairs.earlier AND earlier.is_current AND NOT was_correct
WHERE (was_correct AND is_correct) IS NOT TRUE
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
    """Queries that went the same way: class before and now (`correct` where it passes), and how many.

    Ids and places are told only where one of the two does not pass.
    """

    before: str | None
    now: str | None
    same_question: bool
    count: int
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
        for was_correct, was, is_correct, label, same, count, ids, positions in cursor.fetchall():
            before_now = _class(was_correct, was), _class(is_correct, label)
            yield PairGroup(*before_now, same, count, tuple(ids), tuple(positions))


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
