"""The judges that a run's classes rest on, and how far each may be relied on at the time of the report."""

from __future__ import annotations

from datetime import datetime

from labeling.core.note import JudgeUsed
from labeling.core.trust import Trust, trust
from labeling.models import Calibration
from labeling.report.previous import judges_of
from triage.models import Judge, Run

SECONDS_A_DAY = 86_400


def judges_used(run: Run, now: datetime) -> tuple[JudgeUsed, ...]:
    """Return the judges by task and name, each with the state of its newest calibration in the project."""
    judges = Judge.objects.filter(fingerprint__in=judges_of(run)).order_by("task", "name", "pk")
    newest = newest_calibrations(run.project_id, [judge.pk for judge in judges])
    return tuple(_used(judge, newest.get(judge.pk), now) for judge in judges)


def newest_calibrations(project_id: int, judges: list[int]) -> dict[int, Calibration]:
    """Return the newest calibration of each judge in the project."""
    rows = Calibration.objects.filter(project=project_id, judge__in=judges)
    return {row.judge_id: row for row in rows.order_by("judge", "-computed_at").distinct("judge")}


def trust_of(calibration: Calibration | None, now: datetime) -> Trust:
    """Return the state of a judge by its newest calibration at a point in time."""
    if calibration is None:
        return Trust.UNCALIBRATED
    age = (now - calibration.computed_at).total_seconds() / SECONDS_A_DAY
    return trust(calibration.n, calibration.figures.get("positives", 0), age)


def _used(judge: Judge, calibration: Calibration | None, now: datetime) -> JudgeUsed:
    return JudgeUsed(
        name=judge.name,
        task=judge.task,
        model=judge.model,
        revision=judge.revision,
        prompt_hash=judge.prompt_hash,
        threshold=judge.threshold,
        fingerprint=judge.fingerprint,
        trust=str(trust_of(calibration, now)),
        compared_on=calibration.computed_at.date().isoformat() if calibration else "",
    )
