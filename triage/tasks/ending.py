"""The end of a run: its state, and the word of it to whoever waits, in one transaction."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from triage.models import Event, Run
from triage.signals import run_finished
from triage.webhooks import tell


@transaction.atomic
def end(run_id: int, old: Run.State, new: Run.State, reason: str) -> bool:
    """Mark the run done or failed, unless somebody else has moved it on, and tell of it."""
    changes: dict[str, Any] = {"state": new, "state_reason": reason}
    if new == Run.State.DONE:
        changes |= {"classify_attempts": 0, "finished_at": Now()}
    if Run.objects.filter(pk=run_id, state=old).update(**changes) != 1:
        return False
    run = Run.objects.select_related("project").get(pk=run_id)
    about = f"{run.key} {timezone.now().isoformat()}"  # a run that is scored again ends again
    tell(run.project_id, Event.RUN_FINISHED, about, _data(run), run_key=run.key)
    run_finished.send(sender=Run, run_id=run.pk)
    return True


def _data(run: Run) -> dict[str, Any]:
    """Return what a program needs to go on; `outcomes` and `classes` are null for a run without classes."""
    return {
        "run": run.key,
        "name": run.name,
        "release": run.release,
        "state": run.state,
        "reason": run.state_reason,
        "outcomes": run.summary.get("outcomes"),
        "classes": run.summary.get("classes"),
        "url": settings.PUBLIC_URL + reverse("run", args=[run.key]),
    }
