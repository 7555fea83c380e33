"""Confirming the machine's labels in bulk: a lead's word, unblinded, which never calibrates anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from labeling.models import Verdict
from labeling.models.verdicts import Stage
from labeling.settle import settle_queries
from triage import journal
from triage.core.labels import FOUR_CLASSES
from triage.models import Run, Suggestion

#: Names the keys of bulk verdicts: the same confirmation of the same filing by the same person is one row.
_NAMESPACE = UUID("f0c0ad44-3f6e-4a0a-9c55-0a4c7d6f3b21")


def confirmable(run: Run, label: str = "") -> QuerySet[Suggestion]:
    """Return what nobody has given a verdict on, in file order: filed under one of the four classes."""
    filed = Suggestion.objects.filter(query__run=run, is_current=True, label__in=[label] if label else FOUR_CLASSES)
    said = Verdict.objects.filter(query__run=run, is_current=True).exclude(stage=Stage.ROUND).values("query")
    return filed.exclude(query__in=said).select_related("query").order_by("query__position")


@transaction.atomic
def confirm(run: Run, user: User, query_ids: Iterable[int]) -> int:
    """Give the machine's label as this lead's verdict on these unread queries; return how many there were."""
    filed = list(confirmable(run).filter(query__in=list(query_ids)).select_for_update(of=("self",)))
    Verdict.objects.bulk_create(
        [
            Verdict(
                query=one.query,
                reviewer=user,
                label=one.label,
                sub_cause=one.proposed_sub_cause,
                stage=Stage.BULK,
                blind=False,
                drawn="chosen",
                suggested=one.label,
                policy_fingerprint=one.policy_fingerprint,
                gold_version=one.gold_version,
                idempotency_key=uuid5(_NAMESPACE, f"{user.pk}/{one.pk}"),
            )
            for one in filed
        ],
        ignore_conflicts=True,
    )
    settle_queries(one.query_id for one in filed)
    if filed:
        classes = dict(Counter(one.label for one in filed))
        journal.note("queries.confirmed", run.project_id, run.key, new={"queries": len(filed), **classes}, by=user)
    return len(filed)
