"""Tasks: ids in, rows out. Each does one bounded piece and hands the run back to `advance`, the one driver."""

from __future__ import annotations

import logging

from celery import Task, shared_task
from kombu.exceptions import OperationalError

from triage import classify as classify_verb
from triage import housekeeping, intake, replay, webhooks
from triage import ingest as ingest_verb
from triage import score as score_verb
from triage.models import Message, Run, Upload
from triage.score.registry import try_judges as try_verb
from triage.tasks import driver, pulse, registry, steering
from triage.tasks.driver import Do
from triage.tasks.inprocess import run_to_end

__all__ = [
    "advance",
    "advance_soon",
    "classify",
    "deliver",
    "deliver_all_soon",
    "deliver_soon",
    "erase",
    "erase_soon",
    "ingest",
    "ingest_soon",
    "pulse",
    "registry",
    "run_to_end",
    "score",
    "steering",
    "sweep",
    "trial_soon",
    "try_judges",
]

log = logging.getLogger(__name__)
#: A task that removes rows comes back after this long, so that others get their turn.
ERASE_S = 30.0


def advance_soon(run_id: int) -> bool:
    """Queue `advance`. False = the queue does not answer: the next sweep sees to the run, nothing is lost."""
    return _queued(advance, run_id)


def ingest_soon(upload_id: int) -> bool:
    """Queue the import of an upload. False = the queue does not answer: the next sweep sees to it."""
    return _queued(ingest, upload_id)


def trial_soon(trial_id: int) -> bool:
    """Queue a trial of judges. False = the queue does not answer."""
    return _queued(try_judges, trial_id)


def erase_soon(run_id: int) -> bool:
    """Queue the removal of a deleted run's rows. False = the queue does not answer: the next sweep sees to it."""
    return _queued(erase, run_id)


def deliver_soon(message_id: int) -> bool:
    """Queue the sending of a message. False = the queue does not answer: the next sweep sees to it."""
    return _queued(deliver, message_id)


def deliver_all_soon() -> None:
    """Queue what is due, at most one message of each webhook."""
    for message_id in webhooks.to_deliver():
        deliver_soon(message_id)


def _queued(task: Task, row: int) -> bool:
    try:
        task.delay(row)
    except OperationalError as fault:
        log.warning("%s %s waits for the next sweep: %.200r", task.name, row, fault)
        return False
    return True


@shared_task(name="triage.ingest", soft_time_limit=7_000, time_limit=7_200)
def ingest(upload_id: int) -> None:
    """Import an upload, and start on its run. Delivered again while it is read, it does nothing."""
    upload = ingest_verb.ingest(upload_id)
    if upload.state == Upload.State.DONE and upload.run_id is not None:
        advance_soon(upload.run_id)


@shared_task(name="triage.advance")
def advance(run_id: int) -> None:
    """Hand out the run's next batches, or its classification."""
    step = driver.next_step(run_id)
    for batch in step.batches:
        score.delay(run_id, list(batch))
    if step.do is Do.CLASSIFY:
        classify.delay(run_id)


@shared_task(name="triage.score")
def score(run_id: int, query_ids: list[int]) -> None:
    """Score a batch of queries."""
    if driver.is_scoring(run_id):
        score_verb.score(run_id, query_ids)
        advance_soon(run_id)


@shared_task(name="triage.classify", soft_time_limit=540, time_limit=570)
def classify(run_id: int) -> None:
    """Classify the run, one worker at a time."""
    with driver.classifying(run_id) as is_mine:
        if is_mine:
            classify_verb.classify(run_id)
            driver.end_classifying(run_id)


@shared_task(name="triage.erase")
def erase(run_id: int) -> None:
    """Remove rows of a deleted run for a while, and come back for the rest."""
    if housekeeping.erase(run_id, ERASE_S):
        erase_soon(run_id)


@shared_task(name="triage.sweep")
def sweep() -> None:
    """Hand every unfinished run, upload and message on: whatever message was lost, this makes up for it."""
    intake.sweep_files()
    replay.forget_old()
    for run_id in housekeeping.expire():
        erase_soon(run_id)
    webhooks.forget_old()
    deliver_all_soon()
    for upload_id in Upload.objects.unclaimed().values_list("pk", flat=True):
        ingest_soon(upload_id)
    for run_id in Run.objects.unfinished().values_list("pk", flat=True):
        advance_soon(run_id)


@shared_task(name="triage.deliver")
def deliver(message_id: int) -> None:
    """Send a message to its webhook; while its receiver takes them, the next one follows."""
    sent = webhooks.deliver(message_id)
    if sent and sent.state == Message.State.DELIVERED and (following := webhooks.next_of(sent)):
        deliver_soon(following)


@shared_task(name="triage.try_judges")
def try_judges(trial_id: int) -> None:
    """Have one or two judges read a few claims."""
    try_verb(trial_id)
