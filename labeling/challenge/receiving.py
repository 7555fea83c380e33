"""Gold challenges that came with a file become rows; accepted ones bring their gold version along."""

from __future__ import annotations

from typing import Any

from django.utils.dateparse import parse_datetime

from labeling.challenge.revising import revise
from labeling.models import GoldChallenge
from triage.models import GoldRevision, Query, Run

#: A reviewer the file does not name.
SOMEBODY = "somebody"


def receive_challenges(run_id: int) -> int:
    """Make rows of every gold challenge that came with the run; return how many. Twice is once.

    Call it inside the import's transaction. A gold version that this project knows for the query already is left
    as it is: what people decided here counts.
    """
    run = Run.objects.get(pk=run_id)
    if GoldChallenge.objects.filter(query__run=run).exclude(imported_reviewer="").exists():
        return 0
    count = 0
    for query in run.queries.exclude(challenges=[]).order_by("position"):
        query.run = run
        for told in query.challenges:
            _receive(query, told)
            count += 1
    return count


def _receive(query: Query, told: dict[str, Any]) -> None:
    """Store one challenge, and its gold where it was accepted."""
    challenge = GoldChallenge.objects.create(
        query=query,
        kind=told["kind"],
        proposal={"add": told.get("add") or [], "remove": told.get("remove") or [], "reference": told.get("reference")},
        note=told.get("note") or "",
        state=told.get("state") or GoldChallenge.State.OPEN,
        imported_reviewer=str(told.get("reviewer") or SOMEBODY)[:200],
        decided_at=parse_datetime(str(told["decided_at"])) if told.get("decided_at") else None,
        reason=told.get("reason") or "",
        gold_version=told.get("gold_version"),
    )
    if challenge.state == GoldChallenge.State.ACCEPTED and not _is_known(query, challenge.gold_version):
        revision = revise(query, challenge, challenge.gold_version)
        GoldChallenge.objects.filter(pk=challenge.pk).update(gold_version=revision.version if revision else None)


def _is_known(query: Query, version: int | None) -> bool:
    """Say whether the project has this gold version of the query already."""
    known = GoldRevision.objects.filter(
        project=query.run.project_id, evaluation_set=query.run.evaluation_set, query_key=query.key
    )
    return known.filter(version=version).exists() if version else known.exists()
