"""The list of a project's release notes."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from labeling.models import NoteSnapshot, Outcome
from triage.models import Project, Run

#: Notes on one page, the newest first.
MOST = 100


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One classified run with the counts its note starts from."""

    run: Run
    queries: int
    failing: int
    reviewed: int

    @property
    def share(self) -> float | None:
        """Return the share of queries that fail."""
        return self.failing / self.queries if self.queries else None


@dataclass(frozen=True, slots=True)
class ReportsPage:
    """Everything the list prints."""

    project: Project
    lines: tuple[ReportLine, ...]
    is_cut: bool
    #: Published notes, the newest first.
    published: tuple[NoteSnapshot, ...]
    is_published_cut: bool


def reports_page(project: Project) -> ReportsPage:
    """Return the project's classified runs, the newest first."""
    runs = list(project.runs.exclude(summary={}).defer("errors", "warnings", "meta").order_by("-pk")[: MOST + 1])
    final = Outcome.objects.filter(query__run__in=runs, query__correct=False, state=Outcome.State.FINAL)
    reviewed = dict(final.values_list("query__run").annotate(Count("pk")))
    lines = tuple(_line(run, reviewed.get(run.pk, 0)) for run in runs[:MOST])
    published = tuple(NoteSnapshot.objects.of_project(project)[: MOST + 1])
    return ReportsPage(project, lines, len(runs) > MOST, published[:MOST], len(published) > MOST)


def _line(run: Run, reviewed: int) -> ReportLine:
    outcomes = run.summary["outcomes"]
    return ReportLine(run, sum(outcomes.values()), outcomes["failing"], reviewed)
