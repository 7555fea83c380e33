"""Another policy on a run: looked at first, then adopted for the project and worked off in the background."""

from __future__ import annotations

from django.db import transaction

from triage import classify
from triage.classify import WouldBe
from triage.core.policy import Policy
from triage.models import Project, Run

__all__ = ["WouldBe", "adopt_and_reclassify", "what_if"]


def what_if(run: Run, policy: Policy) -> list[WouldBe]:
    """Return the label each failing query would have. Nothing is stored."""
    return classify.what_if(run, policy)


def adopt_and_reclassify(project: Project, policy: Policy, user_id: int) -> list[int]:
    """Adopt the policy and put the project's classified runs back before their classification; return their ids.

    Runs under way take the new policy anyway. The caller queues `advance` for each; the sweep makes up for a queue
    that is down.
    """
    with transaction.atomic():
        classify.adopt(project, policy, user_id)
        runs = Run.objects.select_for_update().filter(project=project, state=Run.State.DONE).exclude(summary={})
        ids = list(runs.exclude(policy_fingerprint=policy.fingerprint).values_list("pk", flat=True))
        Run.objects.filter(pk__in=ids).update(state=Run.State.CLASSIFYING, classify_attempts=0, finished_at=None)
    return ids
