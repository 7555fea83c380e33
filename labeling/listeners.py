"""What the human's half does when the machine's half announces something."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.dispatch import receiver
from django.utils import timezone

from labeling.challenge import receive_challenges
from labeling.gate import tell_failed
from labeling.models import Calibration, Verdict
from labeling.receive import receive, receive_draws
from labeling.report import counted, review_state
from labeling.worklist import name_strata
from triage.core.review import ReviewState, VerdictLine
from triage.core.trust import Trust
from triage.models import Run
from triage.signals import history_wanted, review_wanted, run_classified, run_finished, run_ingested, trust_wanted


@receiver(run_ingested)
def on_ingested(sender: object, run_id: int, **_more: Any) -> None:
    """Take in the verdicts and gold challenges that came with the file, in the import's own transaction."""
    receive(run_id)
    receive_challenges(run_id)


@receiver(run_classified)
def on_classified(sender: object, run_id: int, **_more: Any) -> None:
    """Fix the draws that came with the file or were made early, now that there are automatic classes."""
    with transaction.atomic():
        name_strata(run_id)
        receive_draws(run_id)


@receiver(run_finished)
def on_finished(sender: object, run_id: int, **_more: Any) -> None:
    """Tell of a gate that a finished run fails, in the transaction that says it is done."""
    tell_failed(Run.objects.select_related("project").get(pk=run_id))


@receiver(review_wanted)
def on_review_wanted(sender: object, run_id: int, **_more: Any) -> ReviewState:
    """Tell a page of the machine's half what people found in the run."""
    return review_state(counted(Run.objects.select_related("project").get(pk=run_id)))


@receiver(history_wanted)
def on_history_wanted(sender: object, query_id: int, user_id: int, **_more: Any) -> list[VerdictLine] | None:
    """Tell a query's verdicts to those who may see them: a reviewer only after a verdict of their own."""
    if not Verdict.objects.may_be_seen_by(query_id, user_id):
        return None
    return [verdict.as_line() for verdict in Verdict.objects.history(query_id)]


@receiver(trust_wanted)
def on_trust_wanted(sender: object, project_id: int, fingerprint: str, **_more: Any) -> Trust:
    """Tell whether a judge's word may be relied on in a project, by the newest comparison with its people."""
    return Calibration.objects.trust_in(project_id, fingerprint, timezone.now())
