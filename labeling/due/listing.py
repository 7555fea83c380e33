"""Judges to compare again, evaluation sets to sample anew, runs to classify, reviews to finish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse

from labeling.core.audit import Health, set_age
from labeling.core.trust import Trust
from labeling.models import Calibration, Outcome, ReviewSession
from triage.models import Judge, Project, Run

#: Runs looked at for the age of their evaluation set, the newest first.
MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Due:
    """One thing to do: what kind, about what, why, and where."""

    what: str
    subject: str
    detail: str
    url: str

    @property
    def mark(self) -> str:
        """Return what tells this thing from every other; its details may change meanwhile."""
        return f"{self.what} {self.url}"


def due(project: Project, now: datetime) -> list[Due]:
    """Return what the project has to do, the most basic first."""
    return [*_runs(project), *_judges(project, now), *_sets(project, now.date()), *_reviews(project, now)]


def _runs(project: Project) -> Iterator[Due]:
    """Runs without classes: their release has no table yet."""
    for run in project.runs.filter(summary={}).order_by("-pk")[:MOST_RUNS]:
        words = f"is {run.get_state_display().lower()}: its failing queries are not classified"
        yield Due("classify", run.release or run.name, words, reverse("run", args=[run.key]))


def _judges(project: Project, now: datetime) -> Iterator[Due]:
    """The identity of each judge that is in use, unless it is freshly compared with enough labels."""
    judges = Judge.objects.in_use(project)
    rows = Calibration.objects.newest_of(project.pk, [judge.pk for judge in judges])
    for judge in judges:
        row = rows.get(judge.pk)
        trust = row.trust(now) if row else Trust.UNCALIBRATED
        if trust is Trust.CALIBRATED:
            continue
        when = f", compared {row.computed_at.date().isoformat()}" if row and row.n else ""
        labels = f", {row.n} labels" if row and row.n else ""
        url = reverse("judge", args=[project.slug, judge.fingerprint])
        yield Due("calibrate", f"{judge.name} ({judge.task})", f"is {trust}{labels}{when}", url)


def _sets(project: Project, today: date) -> Iterator[Due]:
    """Evaluation sets older than a quarter, or of unknown age, by their newest run."""
    seen = set()
    for run in project.runs.exclude(evaluation_set="").order_by("-pk")[:MOST_RUNS]:
        if run.evaluation_set in seen:
            continue
        seen.add(run.evaluation_set)
        check = set_age(_day(run.evaluation_set_facts.get("built_at")), today)
        if check.state is not Health.OK:
            yield Due("resample", run.evaluation_set, check.detail, reverse("audit", args=[run.key]))


def _day(value: object) -> date | None:
    try:
        return datetime.fromisoformat(str(value)).date() if value else None
    except ValueError:
        return None


def _reviews(project: Project, now: datetime) -> Iterator[Due]:
    """Sessions past their day, and runs with verdicts that disagree."""
    late = ReviewSession.objects.filter(run__project=project, closed_at=None, due_at__lt=now).select_related("run")
    for session in late.order_by("due_at"):
        words = f"of run {session.run.name} was due on {session.due_at:%Y-%m-%d}"
        yield Due("review", session.name, words, reverse("session_review", args=[session.key]))
    disagreeing = Q(queries__outcome__state=Outcome.State.NEEDS_ADJUDICATION)
    runs = Run.objects.filter(project=project).annotate(split=Count("queries", filter=disagreeing)).filter(split__gt=0)
    for key, name, count in runs.order_by("-pk").values_list("key", "name", "split"):
        words = f"has {count} queries whose verdicts disagree"
        yield Due("adjudicate", name, words, reverse("run", args=[key]))


@dataclass(frozen=True, slots=True)
class DuePage:
    """Everything the page prints."""

    project: Project
    items: tuple[Due, ...]


def due_page(project: Project, now: datetime) -> DuePage:
    """Return the page of a project."""
    return DuePage(project, tuple(due(project, now)))


def as_json(project: Project, items: list[Due]) -> dict[str, Any]:
    """Return what `due --json` prints."""
    return {"project": project.slug, "due": [asdict(item) for item in items]}
