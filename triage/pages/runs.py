"""The list of a project's runs, the newest first."""

from __future__ import annotations

from dataclasses import dataclass

from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.summary import Summary
from triage.models import Project, Query, Run
from triage.pages.tiles import summaries_of
from triage.pages.words import RUN_BADGES, Badge

PAGE_SIZE = 50
#: Precision and recall are only ever shown side by side, and groundedness beside them.
SHOWN = ("accuracy", "context_recall", "context_precision", "faithfulness", "answer_relevance")


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run of the list."""

    run: Run
    badge: Badge
    queries: int
    failing: int
    k: object
    numbers: tuple[Summary, ...]
    #: (label, automatic count); empty before the run is classified.
    classes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RunsPage:
    """Everything the list prints. `older`: the key to ask for the next page with, or nothing."""

    project: Project
    lines: tuple[RunLine, ...]
    older: int | None
    is_first: bool
    #: Queries of deleted runs that a worker has not removed yet.
    being_removed: int


def runs_page(project: Project, before: int | None = None) -> RunsPage:
    """Read one page of the list, and how much of deleted runs is still to be removed."""
    runs = list(Run.objects.for_runs_page(project, before)[: PAGE_SIZE + 1])
    older = runs[PAGE_SIZE - 1].pk if len(runs) > PAGE_SIZE else None
    removed = Query.objects.filter(run__in=Run.every.filter(project=project).being_deleted()).count()
    return RunsPage(project, tuple(_line(run) for run in runs[:PAGE_SIZE]), older, before is None, removed)


def _line(run: Run) -> RunLine:
    summaries, classes = summaries_of(run), run.summary.get("classes", {})
    labels = (*FOUR_CLASSES, UNSCORED) if run.summary else ()
    outcomes = run.summary.get("outcomes", run.counts)
    return RunLine(
        run=run,
        badge=RUN_BADGES[run.state],
        queries=run.counts.get("queries", sum(run.summary.get("outcomes", {}).values())),
        failing=outcomes.get("failing", 0),
        k=run.config.get("k"),
        numbers=tuple(summaries[key] for key in SHOWN),
        classes=tuple((str(label), classes.get(label, 0)) for label in labels),
    )
