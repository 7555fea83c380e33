"""What pages may do with a project's judges: see them, order them, have them tried by a worker."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from triage import journal
from triage.models import JudgeTrial, Project
from triage.score.costs import spending_of
from triage.score.registry import order_judges, roster_of

__all__ = ["order_judges", "roster_of", "spending_of", "start_trial"]


@transaction.atomic
def start_trial(project: Project, names: Sequence[str], user_id: int | None = None) -> JudgeTrial:
    """Make a trial that waits for a worker."""
    trial = JudgeTrial.objects.create(project=project, names=list(dict.fromkeys(names)), created_by_id=user_id)
    journal.note("judges.tried", project, project.slug, new={"judges": trial.names}, by=user_id)
    return trial
