"""The ladder as its page prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.core.tables import Document
from labeling.ladder.climb import FAILING, LEAST, METRICS, MOST, Climbed, climb
from labeling.ladder.document import document, lead
from triage.core.charts import Trend, TrendPoint, trend
from triage.core.labels import FOUR_CLASSES
from triage.models import Project, Run


@dataclass(frozen=True, slots=True)
class LadderPage:
    """Everything the page prints; `found` None = nothing is chosen yet, or `refused` says why not."""

    project: Project
    found: Climbed | None
    refused: str
    report: Document | None
    lead: str
    picture: Trend | None
    choices: tuple[Run, ...]
    chain: tuple[str, ...]
    repeats: tuple[str, ...]
    metric: str
    slice: str
    metrics: tuple[str, ...] = tuple(METRICS)
    slices: tuple[str, ...] = (FAILING, *(str(label) for label in FOUR_CLASSES))
    least: int = LEAST
    most: int = MOST


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an address asks for, read."""

    runs: tuple[Run, ...]
    repeats: tuple[Run, ...]
    metric: str
    slice: str


def read_ladder(project: Project, keys: Sequence[str], repeats: Sequence[str], metric: str, slice_: str) -> Wanted:
    """Return the classified runs of the project that the keys name, in their order, each once."""
    named = [*dict.fromkeys(keys)][: MOST + 1], [*dict.fromkeys(repeats)][: MOST + 1]
    rows = project.runs.filter(key__in=[*named[0], *named[1]]).exclude(summary={})
    known = {run.key: run for run in rows}
    chain = tuple(known[key] for key in named[0] if key in known)
    more = tuple(known[key] for key in named[1] if key in known and known[key] not in chain)
    return Wanted(chain, more, metric or next(iter(METRICS)), slice_.strip() or FAILING)


def ladder_page(project: Project, wanted: Wanted) -> LadderPage:
    """Return the page; what cannot be climbed is refused in words."""
    found, refused = None, ""
    if len(wanted.runs) >= LEAST:
        try:
            found = climb(wanted.runs, wanted.metric, wanted.slice, wanted.repeats)
        except ValueError as fault:
            refused = f"{fault}."
    steps = found.ladder.steps if found else ()
    drawn = [TrendPoint(str(place), step.level) for place, step in enumerate(steps, 1)]
    choices = project.runs.exclude(summary={}).only("key", "name", "release").order_by("pk")[:100]
    return LadderPage(
        project=project,
        found=found,
        refused=refused,
        report=document(found) if found else None,
        lead=lead(found) if found else "",
        picture=trend(drawn) if found else None,
        choices=tuple(choices),
        chain=tuple(run.key for run in wanted.runs),
        repeats=tuple(run.key for run in wanted.repeats),
        metric=wanted.metric,
        slice=wanted.slice,
    )
