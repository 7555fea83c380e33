"""From an accepted challenge to the next version of the gold. Nothing is overwritten."""

from __future__ import annotations

from django.db.models import Max

from labeling.models import GoldChallenge
from triage.models import GoldRevision, Query

Kind = GoldChallenge.Kind


def revise(query: Query, challenge: GoldChallenge, version: int | None = None) -> GoldRevision | None:
    """Write the gold of the query as the challenge wants it; None where the gold itself stays.

    It builds on the revision accepted before, else on the file. `version` is given where a file brings it along;
    otherwise it is the next of the evaluation set (the file's own gold is version 1).
    """
    if challenge.kind == Kind.AMBIGUOUS_QUESTION:
        return None
    run, proposal = query.run, challenge.proposal
    known = GoldRevision.objects.filter(project=run.project_id, evaluation_set=run.evaluation_set)
    before = known.filter(query_key=query.key).order_by("-version", "-pk").first()
    unanswerable = challenge.kind == Kind.SHOULD_BE_UNANSWERABLE
    gold = list((before.gold if before else query.gold) or [])
    kept = [key for key in gold if key not in proposal.get("remove", [])]
    added = [key for key in proposal.get("add", []) if key not in kept]
    return GoldRevision.objects.create(
        project_id=run.project_id,
        evaluation_set=run.evaluation_set,
        query_key=query.key,
        version=version or (known.aggregate(newest=Max("version"))["newest"] or 1) + 1,
        gold=[] if unanswerable else [*kept, *added],
        reference=proposal.get("reference") or (before.reference if before else None),
        answerable=False if unanswerable else (before.answerable if before else query.answerable),
    )
