"""Tasks of the human's half: ids in, rows out."""

from __future__ import annotations

import logging

from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from labeling import agree as agree_verb
from labeling import calibrate as calibrate_verb
from labeling import due as due_verb
from triage.models import Judge, Project, Run

log = logging.getLogger(__name__)


@shared_task(name="labeling.calibrate", soft_time_limit=540, time_limit=570)
def calibrate(project_id: int, judge_id: int) -> None:
    """Compare a judge with the human labels of a project. Twice is once: the same labels keep their row."""
    calibrate_verb.calibrate(Project.objects.get(pk=project_id), Judge.objects.get(pk=judge_id))


def calibrate_soon(project_id: int, judge_id: int) -> bool:
    """Queue a comparison. False = the queue does not answer: the caller says so, and how to do without."""
    try:
        calibrate.delay(project_id, judge_id)
    except OperationalError as fault:
        log.warning("labeling.calibrate %s %s was not queued: %.200r", project_id, judge_id, fault)
        return False
    return True


@shared_task(name="labeling.calibrate_all", soft_time_limit=1_740, time_limit=1_800)
def calibrate_all(project_id: int) -> None:
    """Compare every judge of a project with people. Twice is once."""
    calibrate_verb.calibrate_all(Project.objects.get(pk=project_id))


def calibrate_all_soon(project_id: int) -> bool:
    """Queue all comparisons of a project. False = the queue does not answer."""
    try:
        calibrate_all.delay(project_id)
    except OperationalError as fault:
        log.warning("labeling.calibrate_all %s was not queued: %.200r", project_id, fault)
        return False
    return True


@shared_task(name="labeling.agree", soft_time_limit=540, time_limit=570)
def agree(run_id: int) -> None:
    """Compare the people who read a run. Twice is once: the same words keep their row."""
    agree_verb.agree(Run.objects.get(pk=run_id))


def agree_soon(run_id: int) -> bool:
    """Queue the comparison. False = the queue does not answer: the caller says so, and how to do without."""
    try:
        agree.delay(run_id)
    except OperationalError as fault:
        log.warning("labeling.agree %s was not queued: %.200r", run_id, fault)
        return False
    return True


@shared_task(name="labeling.announce_due")
def announce_due() -> None:
    """Tell people what is newly due, where the operator set up a way to."""
    due_verb.announce_all(timezone.now())
