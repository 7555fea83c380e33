"""The judges that a run's classes rest on, and how far each may be relied on at the time of the report."""

from __future__ import annotations

from datetime import datetime

from labeling.core.note import JudgeUsed
from labeling.core.trust import Trust
from labeling.models import Calibration
from labeling.models.pairing import judges_of
from triage.models import Judge, Run


def judges_used(run: Run, now: datetime) -> tuple[JudgeUsed, ...]:
    """Return the judges by task and name, each with the state of its newest calibration in the project."""
    judges = Judge.objects.filter(fingerprint__in=judges_of(run)).order_by("task", "name", "pk")
    newest = Calibration.objects.newest_of(run.project_id, [judge.pk for judge in judges])
    return tuple(_used(judge, newest.get(judge.pk), now) for judge in judges)


def _used(judge: Judge, calibration: Calibration | None, now: datetime) -> JudgeUsed:
    return JudgeUsed(
        name=judge.name,
        task=judge.task,
        model=judge.model,
        revision=judge.revision,
        prompt_hash=judge.prompt_hash,
        threshold=judge.threshold,
        fingerprint=judge.fingerprint,
        trust=str(calibration.trust(now) if calibration else Trust.UNCALIBRATED),
        compared_on=calibration.computed_at.date().isoformat() if calibration and calibration.n else "",
    )
