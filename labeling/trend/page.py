"""The trend as its page prints it: a picture per number, and tables with the same numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from labeling.core.trend import ClassCount
from labeling.trend.listing import AT_K, METRICS, Release, Trend
from triage.core.charts import Trend as Drawn
from triage.core.charts import TrendPoint
from triage.core.charts import trend as draw
from triage.core.labels import FOUR_CLASSES
from triage.core.pictures import largest
from triage.core.summary import Summary
from triage.models import Run
from triage.pages.tiles import against
from triage.pages.words import METRIC_NAMES

#: Characters of a release's name that fit under its mark.
FITS = 10


@dataclass(frozen=True, slots=True)
class Chart:
    """One number over the releases: its name, the drawing, what it says to those who do not see it."""

    key: str
    name: str
    drawn: Drawn
    words: str
    is_class: bool


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One metric of one release, and how it stands to its target."""

    summary: Summary
    tone: str
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """One release as a row of the tables."""

    run: Run
    name: str
    at: datetime
    queries: int
    failing: int
    changed: str
    k: object
    classes: tuple[ClassCount, ...]
    metrics: tuple[MetricCell, ...]


@dataclass(frozen=True, slots=True)
class TrendPage:
    """Everything the page prints."""

    trend: Trend
    classes: tuple[Chart, ...]
    metrics: tuple[Chart, ...]
    lines: tuple[Line, ...]
    breaks: int
    #: What the addresses of the files end in.
    asked: str
    metric_names: tuple[str, ...]

    @property
    def has_choice(self) -> bool:
        """Say whether there is another evaluation set or pipeline to look at."""
        return len(self.trend.choices) > 1


def trend_page(found: Trend) -> TrendPage:
    """Lay the trend out."""
    lines = tuple(_line(release, found.targets) for release in found.releases)
    return TrendPage(
        trend=found,
        classes=tuple(_class_charts(found.releases)),
        metrics=tuple(_metric_chart(key, found) for key in METRICS),
        lines=lines,
        breaks=sum(bool(line.changed) for line in lines),
        asked=urlencode({"set": found.evaluation_set, "pipeline": found.pipeline}),
        metric_names=tuple(METRIC_NAMES[key] for key in METRICS),
    )


def changed_words(release: Release) -> str:
    """Return what is measured otherwise than in the release before, as one phrase."""
    words = list(release.changed)
    if release.is_other_basis:
        words.append(f"classes are {'corrected' if release.is_corrected else 'automatic'} counts now")
    if release.is_other_k:
        words.append("another k (recall and precision)")
    return "; ".join(words)


def _line(release: Release, targets: dict[str, float]) -> Line:
    told = ((release.metrics[key], targets.get(key)) for key in METRICS)
    return Line(
        run=release.run,
        name=release.name,
        at=release.at,
        queries=release.queries,
        failing=release.failing,
        changed=changed_words(release),
        k=release.run.config.get("k", "not said"),
        classes=tuple(release.classes[label] for label in map(str, FOUR_CLASSES)),
        metrics=tuple(MetricCell(summary, *against(summary, target)) for summary, target in told),
    )


def _short(name: str) -> str:
    return name if len(name) <= FITS else f"{name[: FITS - 1]}…"


def _class_charts(releases: Sequence[Release]) -> list[Chart]:
    """Draw the four classes on one scale, so that they can be read beside each other."""
    counts = [release.classes[str(label)] for release in releases for label in FOUR_CLASSES]
    top = max(0.1, math.ceil(10 * largest(end for one in counts for end in (one.share, one.share_high))) / 10)
    charts = []
    for label in map(str, FOUR_CLASSES):
        points = [_class_point(release, label) for release in releases]
        charts.append(Chart(label, label, draw(points, top=min(1.0, top)), _told(points, label), is_class=True))
    return charts


def _class_point(release: Release, label: str) -> TrendPoint:
    one, is_break = release.classes[label], bool(release.changed) or release.is_other_basis
    return TrendPoint(_short(release.name), one.share, one.share_low, one.share_high, is_break)


def _metric_chart(key: str, found: Trend) -> Chart:
    def is_break(release: Release) -> bool:
        return bool(release.changed) or (release.is_other_k and key in AT_K)

    points = [_metric_point(release, key, is_break) for release in found.releases]
    return Chart(
        key, METRIC_NAMES[key], draw(points, found.targets.get(key)), _told(points, METRIC_NAMES[key]), is_class=False
    )


def _metric_point(release: Release, key: str, is_break: Callable[[Release], bool]) -> TrendPoint:
    summary = release.metrics[key]
    return TrendPoint(_short(release.name), summary.value, summary.low, summary.high, is_break(release))


def _told(points: Sequence[TrendPoint], name: str) -> str:
    breaks = sum(point.is_break for point in points)
    times = "once" if breaks == 1 else f"{breaks} times"
    return (
        f"{name} over {len(points)} releases; measured otherwise {times}"
        if breaks
        else f"{name}, {len(points)} releases"
    )
