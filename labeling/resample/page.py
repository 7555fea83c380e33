"""The next evaluation set as its page prints it."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.core.resampling import Carry
from labeling.resample.plan import Item, Planned
from triage.models import Project, Run
from triage.models.slices import slice_keys

#: Questions of the last set shown; the file holds all that are carried.
MOST_ITEMS, MOST_RUNS = 100, 50


@dataclass(frozen=True, slots=True)
class ResamplePage:
    """Everything the page prints. `planned` None: no logs are chosen."""

    project: Project
    runs: tuple[Run, ...]
    keys: tuple[str, ...]
    planned: Planned | None
    items: tuple[Item, ...]
    left: tuple[tuple[str, int], ...]
    #: What the address of the file ends in.
    asked: str

    @property
    def hidden(self) -> int:
        """Return how many questions of the last set are not shown."""
        return len(self.planned.items) - len(self.items) if self.planned else 0


def runs_to_choose(project: Project) -> tuple[Run, ...]:
    """Return the project's newest runs, classified or not: logs need no labels."""
    return tuple(project.runs.defer("errors", "warnings", "meta", "summary").order_by("-pk")[:MOST_RUNS])


def resample_page(project: Project, planned: Planned | None, asked: str) -> ResamplePage:
    """Lay the plan out."""
    items = sorted(planned.items, key=lambda item: item.fate is not Carry.CARRIED) if planned else []
    return ResamplePage(
        project=project,
        runs=runs_to_choose(project),
        keys=tuple(slice_keys(planned.logs)) if planned else (),
        planned=planned,
        items=tuple(items[:MOST_ITEMS]),
        left=tuple(sorted(planned.left.items())) if planned else (),
        asked=asked,
    )
