"""The one driver of a run: it asks the rows what is left and says what to do next. It never does it itself.

Any number of calls at any time do no harm: batches are leased, state changes are conditional, and a message that is
lost is made up for by the next sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.db.models import F

from triage.models import Run
from triage.models.locks import held
from triage.score import SetupError, panel_of
from triage.tasks.ending import end
from triage.tasks.leases import count_open, lease

#: Batches of one run that are handed out at a time: enough to keep workers busy, few enough that runs take turns.
BATCHES_AT_ONCE = 4
MAX_CLASSIFY_ATTEMPTS = 3
GAVE_UP_CLASSIFYING = (
    f"Classifying lost its worker {MAX_CLASSIFY_ATTEMPTS} times (memory, time or a crash). Press Retry to try again."
)


class Do(StrEnum):
    """What a run wants next."""

    SCORE = "score"
    CLASSIFY = "classify"
    WAIT = "wait"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Step:
    """The next step of a run, with the batches of query ids to score."""

    do: Do
    batches: tuple[tuple[int, ...], ...] = ()


def next_step(run_id: int) -> Step:
    """Say what the run wants next; leases the batches it names and moves the run on where a stage is complete."""
    run = Run.objects.unfinished().select_related("project").filter(pk=run_id).first()
    if run is None:
        return Step(Do.NOTHING)
    if run.state == Run.State.CLASSIFYING:
        return Step(Do.CLASSIFY)
    try:
        panel = panel_of(run.project).fingerprint
    except SetupError as fault:
        reason = f"{fault}. Change the project's judges, then press Retry."[:1000]
        end(run_id, Run.State.SCORING, Run.State.FAILED, reason)
        return Step(Do.NOTHING)
    return _next_of_scoring(run_id, panel)


def _next_of_scoring(run_id: int, panel: str) -> Step:
    left, held = count_open(run_id, panel)
    if left == 0:
        moved = _move(run_id, Run.State.SCORING, Run.State.CLASSIFYING)
        return Step(Do.CLASSIFY if moved else Do.WAIT)
    size = settings.SCORE_BATCH_QUERIES
    ids = lease(run_id, panel, size * BATCHES_AT_ONCE - held)
    batches = tuple(tuple(ids[start : start + size]) for start in range(0, len(ids), size))
    return Step(Do.SCORE if batches else Do.WAIT, batches)


def is_scoring(run_id: int) -> bool:
    """Say whether the run wants scores now: not paused, cancelled or deleted meanwhile."""
    return Run.objects.filter(pk=run_id, state=Run.State.SCORING).exists()


@contextmanager
def classifying(run_id: int) -> Iterator[bool]:
    """Hold the run for classifying; False = somebody else has it, it is not wanted, or it was given up."""
    with held(f"classify:{run_id}") as is_mine:
        yield is_mine and _begin_classifying(run_id)


def _begin_classifying(run_id: int) -> bool:
    """Count an attempt; False = not wanted now, or given up: the run has failed with a reason."""
    mine = Run.objects.filter(pk=run_id, state=Run.State.CLASSIFYING)
    if mine.filter(classify_attempts__lt=MAX_CLASSIFY_ATTEMPTS).update(classify_attempts=F("classify_attempts") + 1):
        return True
    end(run_id, Run.State.CLASSIFYING, Run.State.FAILED, GAVE_UP_CLASSIFYING)
    return False


def end_classifying(run_id: int) -> None:
    """Mark the run done, with what people must know of the judges it was scored by."""
    run = Run.objects.select_related("project").get(pk=run_id)
    notes = " ".join(panel_of(run.project).notes)
    end(run_id, Run.State.CLASSIFYING, Run.State.DONE, notes)


def _move(run_id: int, old: Run.State, new: Run.State) -> bool:
    """Move the run on, unless somebody else has."""
    return Run.objects.filter(pk=run_id, state=old).update(state=new, state_reason="") == 1
