"""Two runs over the same queries, paired by id within the database: a few rows whatever their size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from triage.models import Run, Suggestion

#: Asked in the same words. Wrapped, because the planner would take it for a condition of its own beside that on the id,
#: expect next to no pairs, and look up row by row what hangs on them.
SAME_QUESTION = "COALESCE(before.question_hash = now.question_hash, false)"
#: Pairs by id, grouped by what became of them, with the ids and places of their queries now. Those that passed and pass
#: are most of a good run, and nobody asks which they are: they are only counted, and no row of theirs is looked up: the
#: pairs themselves stand in the index `one_query_of_a_key`.
PAIRS = """
WITH pairs AS MATERIALIZED (
    SELECT before.id AS earlier, now.id AS current, before.correct AS was_correct, now.correct AS is_correct,
        now.question_hash = before.question_hash AS same
    FROM triage_query AS now
    JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    WHERE now.run_id = %(now)s
)
SELECT true AS was, null AS before, true AS is, null AS now, same, count(*), '{}'::text[], '{}'::int[]
FROM pairs WHERE was_correct AND is_correct
GROUP BY same
UNION ALL
SELECT was_correct, earlier.label, is_correct, current.label, same, count(*),
    array_agg(asked.key ORDER BY asked.position), array_agg(asked.position ORDER BY asked.position)
FROM pairs
JOIN triage_query AS asked ON asked.id = pairs.current
LEFT JOIN triage_suggestion AS current ON current.query_id = pairs.current AND current.is_current AND NOT is_correct
LEFT JOIN triage_suggestion AS earlier ON earlier.query_id = pairs.earlier AND earlier.is_current AND NOT was_correct
WHERE (was_correct AND is_correct) IS NOT TRUE
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5
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
