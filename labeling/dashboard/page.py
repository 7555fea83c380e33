"""Everything the first page of a project prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from labeling.dashboard.newest import Newest, newest
from labeling.dashboard.people import Reading, readings
from labeling.due import Due, due
from triage.models import Project, Run
from triage.pages.words import RUN_BADGES, Badge

#: Things to do and runs under way that are shown.
MOST_DUE = 5
MOST_MOVING = 3


@dataclass(frozen=True, slots=True)
class Moving:
    """A run that is not classified yet."""

    run: Run
    badge: Badge


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """The project's first page. `newest` None and no `moving`: a new project."""

    project: Project
    newest: Newest | None
    moving: tuple[Moving, ...]
    due: tuple[Due, ...]
    due_left: int
    reading: tuple[Reading, ...]


def dashboard_page(project: Project, now: datetime) -> DashboardPage:
    """Read the page in a number of statements that does not depend on the rows."""
    moving = project.runs.exclude(state=Run.State.DONE).defer("errors", "warnings", "meta").order_by("-pk")
    todo = due(project, now)
    return DashboardPage(
        project=project,
        newest=newest(project),
        moving=tuple(Moving(run, RUN_BADGES[run.state]) for run in moving[:MOST_MOVING]),
        due=tuple(todo[:MOST_DUE]),
        due_left=max(0, len(todo) - MOST_DUE),
        reading=readings(project),
    )
