"""What the verdicts of a query come to: the one place where an Outcome is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from labeling.core.consensus import Consensus, GivenVerdict, Standing, settle
from labeling.models import Outcome
from labeling.models.verdicts import Stage
from triage.models.prepared import prepared

#: Queries settled per round trip: an import may bring verdicts on all of a run's queries.
AT_ONCE = 1_000

#: The overlap counts beside the lock: it is a fact of the draw, no save changes it.
OVERLAP = """(
    SELECT max((SELECT session.overlap FROM labeling_reviewsession AS session
                WHERE session.id = item.session_id AND NOT session.frame @> '{"how": "round"}'))
    FROM labeling_sessionitem AS item WHERE item.query_id = query.id)
"""
LOCK = f"""
SELECT query.id, {OVERLAP}
FROM triage_query AS query WHERE query.id = ANY(%s) ORDER BY query.id FOR NO KEY UPDATE OF query
"""  # noqa: S608 - our own statement, the values are bound
#: The same of one query, as part of the statement that adds a verdict on it; then call `settle_locked`.
LOCK_ONE = f"""
SELECT {OVERLAP} AS overlap FROM triage_query AS query WHERE query.id = %(query_id)s FOR NO KEY UPDATE OF query
"""  # noqa: S608 - our own statement, the values are bound

#: A statement of its own, after the lock: it sees what whoever held the lock before has written.
GIVEN = """
SELECT query_id, imported_reviewer, reviewer_id, label, sub_cause, blind, stage FROM labeling_verdict
WHERE query_id = ANY(%s) AND is_current AND NOT withdrawn AND label <> '' AND stage <> 'round' ORDER BY id
"""

WRITE = """
INSERT INTO labeling_outcome (query_id, state, label, sub_cause, verdicts, settled_at)
SELECT settled.*, clock_timestamp()
FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::int[]) AS settled
ON CONFLICT (query_id) DO UPDATE SET state = EXCLUDED.state, label = EXCLUDED.label,
    sub_cause = EXCLUDED.sub_cause, verdicts = EXCLUDED.verdicts, settled_at = EXCLUDED.settled_at
"""

STATES = {
    Standing.INCOMPLETE: Outcome.State.INCOMPLETE,
    Standing.NEEDS_ADJUDICATION: Outcome.State.NEEDS_ADJUDICATION,
}


def settle_queries(query_ids: Iterable[int]) -> None:
    """Rebuild the outcomes of these queries from their current verdicts; a query without any has none.

    Notes without a label and practice in a calibration round count for nothing here. The overlap wanted is the
    largest of the sessions that hold the query. Call it inside the transaction that changed the verdicts.
    """
    wanted = sorted(set(query_ids))
    for start in range(0, len(wanted), AT_ONCE):
        _settle(wanted[start : start + AT_ONCE])


def settle_locked(query_id: int, overlap: int | None) -> None:
    """Rebuild the outcome of a query that this transaction has locked by LOCK_ONE, which told the overlap."""
    _rebuild([query_id], {} if overlap is None else {query_id: overlap})


@transaction.atomic(savepoint=False)
def _settle(query_ids: Sequence[int]) -> None:
    """Rebuild the outcomes of one batch in three statements.

    Two people saving on one query at once take turns here, so that the later one counts both verdicts.
    """
    _rebuild(query_ids, _locked(query_ids))


def _rebuild(query_ids: Sequence[int], overlaps: Mapping[int, int]) -> None:
    """Write what the verdicts of locked queries come to."""
    given = _given(query_ids)
    without = set(query_ids) - given.keys()
    if without:
        Outcome.objects.filter(query__in=without).delete()
    outcomes = [_outcome(query, settle(verdicts, overlaps.get(query, 1))) for query, verdicts in given.items()]
    if outcomes:
        with prepared() as cursor:
            cursor.execute(WRITE, _columns(outcomes))


def _locked(query_ids: Sequence[int]) -> dict[int, int]:
    """Lock the queries; return the overlap wanted of each that a session holds, calibration rounds left out."""
    with prepared() as cursor:
        cursor.execute(LOCK, [list(query_ids)])
        return {query: overlap for query, overlap in cursor.fetchall() if overlap is not None}


def _given(query_ids: Sequence[int]) -> dict[int, list[GivenVerdict]]:
    """Return the current verdicts with a label, oldest first, by query."""
    given: dict[int, list[GivenVerdict]] = defaultdict(list)
    with prepared() as cursor:
        cursor.execute(GIVEN, [list(query_ids)])
        for query, imported, reviewer, label, sub_cause, blind, stage in cursor.fetchall():
            given[query].append(
                GivenVerdict(
                    reviewer=imported or str(reviewer),
                    label=label,
                    first=label,
                    sub_cause=sub_cause,
                    blind=blind,
                    adjudicated=stage == Stage.ADJUDICATED,
                )
            )
    return given


def _columns(outcomes: Sequence[Outcome]) -> tuple[list[int], list[str], list[str], list[str], list[int]]:
    """Return the cells of the rows, column by column: one statement writes any number of them."""
    return (
        [outcome.query_id for outcome in outcomes],
        [str(outcome.state) for outcome in outcomes],
        [str(outcome.label) for outcome in outcomes],
        [outcome.sub_cause for outcome in outcomes],
        [outcome.verdicts for outcome in outcomes],
    )


def _outcome(query_id: int, consensus: Consensus) -> Outcome:
    """Return the row of one query's consensus."""
    return Outcome(
        query_id=query_id,
        state=STATES.get(consensus.standing, Outcome.State.FINAL),
        label=consensus.label,
        sub_cause=consensus.sub_cause,
        verdicts=consensus.n,
    )
