"""What people do to a run under way: pause, resume, cancel, retry. Conditional updates: the first click counts."""

from __future__ import annotations

from django.db import transaction

from triage import journal
from triage.models import Run, Scoring

_UNDER_WAY = [Run.State.SCORING, Run.State.CLASSIFYING]


def pause(run: Run) -> bool:
    """Keep the run from being worked on; what is read at this moment is still saved. False = it was not under way."""
    return _set("run.paused", run, _UNDER_WAY, Run.State.PAUSED, "Paused.")


def cancel(run: Run) -> bool:
    """Stop the run for good; the scores it has stay. False = it was finished already."""
    return _set("run.cancelled", run, [*_UNDER_WAY, Run.State.PAUSED], Run.State.CANCELLED, "Cancelled.")


def resume(run: Run) -> bool:
    """Go on with a paused or cancelled run. False = it was neither."""
    return _set("run.resumed", run, [Run.State.PAUSED, Run.State.CANCELLED], Run.State.SCORING, "")


def retry(run: Run) -> bool:
    """Try anew what was set aside or failed. False = the run is under way, or nothing had failed."""
    with transaction.atomic():
        tried = Scoring.objects.filter(query__run=run, done_at__isnull=True)
        freed = tried.update(attempts=0, quarantined="", leased_until=None)
        states = [Run.State.FAILED, Run.State.DONE] if freed else [Run.State.FAILED]
        changed = Run.objects.filter(pk=run.pk, state__in=states).update(
            state=Run.State.SCORING, state_reason="", classify_attempts=0, finished_at=None
        )
        if changed:
            journal.note("run.retried", run.project_id, run.key, old={"state": run.state}, new={"queries_freed": freed})
    return changed == 1


def rescore(run: Run) -> bool:
    """Ask the project's judges as they are now: only what they have no word on is read. False = it is under way."""
    states = [Run.State.DONE, Run.State.FAILED]
    return _set("run.rescored", run, states, Run.State.SCORING, "")


#: What a button may ask for.
ACTIONS = {"pause": pause, "resume": resume, "cancel": cancel, "retry": retry, "rescore": rescore}


@transaction.atomic
def _set(action: str, run: Run, old: list[Run.State], new: Run.State, reason: str) -> bool:
    if not Run.objects.filter(pk=run.pk, state__in=old).update(state=new, state_reason=reason):
        return False
    journal.note(action, run.project_id, run.key, old={"state": run.state}, new={"state": new.value})
    return True
