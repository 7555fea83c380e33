"""What the verdicts of a query come to: the one place where an Outcome is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Max

from labeling.core.consensus import Consensus, GivenVerdict, Standing, settle
from labeling.models import Outcome, SessionItem, Verdict
from labeling.models.verdicts import Stage
from triage.models import Query

#: Queries settled per round trip: an import may bring verdicts on all of a run's queries.
AT_ONCE = 1_000

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


@transaction.atomic(savepoint=False)
def _settle(query_ids: Sequence[int]) -> None:
    """Rebuild the outcomes of one batch in five statements.

    Two people saving on one query at once take turns here, so that the later one counts both verdicts.
    """
    list(Query.objects.filter(pk__in=query_ids).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    given = _given(query_ids)
    overlaps = dict(
        SessionItem.objects.filter(query__in=query_ids)
        .exclude(session__frame__contains={"how": "round"})
        .values("query")
        .annotate(most=Max("session__overlap"))
        .values_list("query", "most")
    )
    Outcome.objects.filter(query__in=set(query_ids) - given.keys()).delete()
    Outcome.objects.bulk_create(
        [_outcome(query, settle(verdicts, overlaps.get(query, 1))) for query, verdicts in given.items()],
        update_conflicts=True,
        unique_fields=["query"],
        update_fields=["state", "label", "sub_cause", "verdicts", "settled_at"],
    )


def _given(query_ids: Sequence[int]) -> dict[int, list[GivenVerdict]]:
    """Return the current verdicts with a label, oldest first, by query."""
    given: dict[int, list[GivenVerdict]] = defaultdict(list)
    rows = Verdict.objects.filter(query__in=query_ids, is_current=True, withdrawn=False).exclude(label="")
    rows = rows.exclude(stage=Stage.ROUND)
    for row in rows.order_by("pk"):
        given[row.query_id].append(
            GivenVerdict(
                reviewer=row.imported_reviewer or str(row.reviewer_id),
                label=row.label,
                first=row.label,
                sub_cause=row.sub_cause,
                blind=row.blind,
                adjudicated=row.stage == Stage.ADJUDICATED,
            )
        )
    return given


def _outcome(query_id: int, consensus: Consensus) -> Outcome:
    """Return the row of one query's consensus."""
    return Outcome(
        query_id=query_id,
        state=STATES.get(consensus.standing, Outcome.State.FINAL),
        label=consensus.label,
        sub_cause=consensus.sub_cause,
        verdicts=consensus.n,
    )
