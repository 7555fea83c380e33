"""Which judges count in a run, and in which order they are asked."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from triage.core.judging import Task
from triage.models import Judge, Run, Score

#: The order of a project that has set none: what came with the file first, then the newest judge.
DEFAULT_ORDER = ("recorded",)


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges with scores in a run, by task, in the order they are asked."""

    grounding: tuple[Judge, ...]
    relevance: tuple[Judge, ...]


def panel_of(run: Run) -> Panel:
    """Return the run's judges in the project's order; of several identities of one name the newest counts."""
    spoke = Score.objects.filter(judge=OuterRef("pk"), query__run=run)
    judges = list(Judge.objects.filter(Exists(spoke)).order_by("-pk"))
    return Panel(_ordered(run, judges, Task.GROUNDING), _ordered(run, judges, Task.RELEVANCE))


def _ordered(run: Run, judges: list[Judge], task: Task) -> tuple[Judge, ...]:
    newest: dict[str, Judge] = {}
    for judge in judges:
        if judge.task == task:
            newest.setdefault(judge.name, judge)
    asked = list(run.project.judge_order or DEFAULT_ORDER)
    if not run.project.judge_order:
        asked += [name for name in newest if name not in asked]
    return tuple(newest[name] for name in asked if name in newest)
