"""The list of a project's judges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from labeling.calibrate.lines import FigureLine, line
from labeling.calibrate.page import KIND_WORDS, TONES
from labeling.calibrate.run import judges_in
from labeling.core.trust import Trust
from labeling.models import Calibration
from labeling.models.calibrations import KIND_OF
from triage.core.judging import Task
from triage.core.pictures import Axis, share_axis
from triage.models import Judge, Project


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """One judge of the project's list."""

    judge: Judge
    kind: str
    tone: str
    trust: Trust
    calibration: Calibration | None
    balanced: FigureLine | None
    kappa: FigureLine | None


@dataclass(frozen=True, slots=True)
class JudgesPage:
    """Every judge that scored something in the project."""

    project: Project
    lines: tuple[JudgeLine, ...]
    share: Axis


def judges_page(project: Project, now: datetime) -> JudgesPage:
    """Return the list of judges with what is known of each."""
    judges, share = judges_in(project), share_axis()
    newest = Calibration.objects.newest_of(project.pk, [judge.pk for judge in judges])
    return JudgesPage(project, tuple(_judge_line(judge, newest.get(judge.pk), now, share) for judge in judges), share)


def _judge_line(judge: Judge, newest: Calibration | None, now: datetime, on: Axis) -> JudgeLine:
    trust = newest.trust(now) if newest else Trust.UNCALIBRATED
    part = newest.figures["all"] if newest else None
    return JudgeLine(
        judge=judge,
        kind=KIND_WORDS[KIND_OF[Task(judge.task)]],
        tone=TONES[trust],
        trust=trust,
        calibration=newest,
        balanced=line("", part["balanced_accuracy"], on) if part else None,
        kappa=line("", part["kappa"], on) if part else None,
    )
