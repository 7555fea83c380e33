"""The list of a project's judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from labeling.calibrate.correct import has_threshold
from labeling.calibrate.lines import line
from labeling.calibrate.page import SIGNED, TONES
from labeling.calibrate.run import judges_in
from labeling.calibrate.words import KIND_WORDS
from labeling.core.figure_line import FigureLine
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
    has_threshold: bool
    balanced: FigureLine | None
    kappa: FigureLine | None


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """A score that came with files, by rank beside one thing people rated."""

    judge: Judge
    metric: str
    spearman: FigureLine


@dataclass(frozen=True, slots=True)
class PeopleLine:
    """How far people agree on one thing they rated."""

    metric: str
    alpha: FigureLine
    equal_pairs: float | None
    pairs: int


@dataclass(frozen=True, slots=True)
class JudgesPage:
    """Every judge that scored something in the project."""

    project: Project
    lines: tuple[JudgeLine, ...]
    share: Axis
    recorded: tuple[RecordedLine, ...]
    people: tuple[PeopleLine, ...]
    signed: Axis


def judges_page(project: Project, now: datetime) -> JudgesPage:
    """Return the list of judges with what is known of each."""
    judges, share = judges_in(project), share_axis()
    newest = Calibration.objects.newest_of(project.pk, [judge.pk for judge in judges])
    ratings = list(Calibration.objects.newest_ratings(project))
    return JudgesPage(
        project=project,
        lines=tuple(_judge_line(judge, newest.get(judge.pk), now, share) for judge in judges),
        share=share,
        recorded=tuple(
            RecordedLine(row.judge, metric, line("", told["spearman"], SIGNED))
            for row in ratings
            for metric, told in sorted(row.figures["metrics"].items())
        ),
        people=_people(ratings),
        signed=SIGNED,
    )


def _people(ratings: Sequence[Calibration]) -> tuple[PeopleLine, ...]:
    """Return people's agreement per metric: the same in every row, so the newest row tells it."""
    newest = max(ratings, key=lambda row: row.computed_at, default=None)
    told = sorted(newest.figures["metrics"].items()) if newest else []
    return tuple(
        PeopleLine(
            metric, line("", one["people"]["alpha"], SIGNED), one["people"]["equal_pairs"], one["people"]["pairs"]
        )
        for metric, one in told
    )


def _judge_line(judge: Judge, newest: Calibration | None, now: datetime, on: Axis) -> JudgeLine:
    trust = newest.trust(now) if newest else Trust.UNCALIBRATED
    part = newest.figures["all"] if newest else None
    return JudgeLine(
        judge=judge,
        kind=KIND_WORDS[KIND_OF[Task(judge.task)]],
        tone=TONES[trust],
        trust=trust,
        calibration=newest,
        has_threshold=has_threshold(judge),
        balanced=line("", part["balanced_accuracy"], on) if part else None,
        kappa=line("", part["kappa"], on) if part else None,
    )
