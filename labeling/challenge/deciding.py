"""Deciding a challenge. Acceptance makes a new gold version; nothing is overwritten."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from labeling.challenge.revising import revise
from labeling.models import GoldChallenge, Lease, Verdict
from labeling.models.verdicts import Stage
from labeling.settle import settle_queries
from triage import journal
from triage.core.labels import FailureLabel
from triage.models import Project, Query, Run

State = GoldChallenge.State
#: Verdicts that were about the gold itself: they are asked for again when it changes.
ABOUT_GOLD = Q(label=FailureLabel.RETRIEVAL_MISS) | Q(sub_cause="wrong_gold")


class SamePersonError(Exception):
    """Who raised a challenge does not decide it, not even where nobody else could: the gold would be one person's."""


class DecidedError(Exception):
    """Somebody decided it already."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision did: the new gold version (None = none), the runs whose queries it touches."""

    challenge: GoldChallenge
    version: int | None
    runs: tuple[Run, ...]
    returned: int = 0


@transaction.atomic
def decide(challenge: GoldChallenge, user: User, *, accept: bool, reason: str = "") -> Decided:
    """Accept or reject an open challenge. The runs returned want to be classified again.

    Verdicts stay, marked with the gold version they were given under; those about the gold (retrieval miss, wrong
    gold) go back to the queue. Raises SamePersonError or DecidedError.
    """
    query = Query.objects.select_related("run__project").get(pk=challenge.query_id)
    project = Project.objects.select_for_update(no_key=True).get(pk=query.run.project_id)  # versions in order
    fresh = GoldChallenge.objects.select_for_update().get(pk=challenge.pk)
    if fresh.state != State.OPEN:
        raise DecidedError
    if fresh.raised_by_id == user.pk:
        raise SamePersonError
    revision = revise(query, fresh) if accept else None
    fresh.state = State.ACCEPTED if accept else State.REJECTED
    fresh.decided_by, fresh.reason = user, reason.strip()
    fresh.gold_version = revision.version if revision else None
    fresh.decided_at = Now()  # by the database's clock
    fresh.save()
    new = {"run": query.run.key, "position": query.position, "kind": fresh.kind, "gold_version": fresh.gold_version}
    action = "challenge.accepted" if accept else "challenge.rejected"
    journal.note(action, project, fresh.pk, old={"state": State.OPEN}, new=new, by=user)
    if revision is None:
        return Decided(fresh, None, ())
    touched = Query.objects.filter(
        run__project=project, run__evaluation_set=query.run.evaluation_set, key_hash=query.key_hash
    ).select_related("run")
    return Decided(fresh, revision.version, tuple(one.run for one in touched), _send_back([one.pk for one in touched]))


def _send_back(query_ids: list[int]) -> int:
    """Put the verdicts that were about the gold back to the queue; return how many."""
    rows = list(
        Verdict.objects.filter(ABOUT_GOLD, query__in=query_ids, is_current=True, reviewer__isnull=False).exclude(
            stage=Stage.BULK
        )
    )
    for row in rows:
        Lease.objects.filter(item__query=row.query_id, reviewer=row.reviewer_id, state=Lease.State.DONE).update(
            state=Lease.State.FREE, reviewer=None, token=None, taken_at=None, expires_at=None
        )
    Verdict.objects.filter(pk__in=[row.pk for row in rows]).update(is_current=False)
    settle_queries(query_ids)
    return len(rows)
