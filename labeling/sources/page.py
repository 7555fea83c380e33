"""Where answers come from, as its page prints it."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.sources.document import drift_words
from labeling.sources.read import Declining, Share, Sources, Stored, sources
from triage.core.pictures import Axis, Interval, interval, share_axis
from triage.models import Run


@dataclass(frozen=True, slots=True)
class StoredLine:
    """One metric with its bar."""

    title: str
    one: Stored
    bar: Interval


@dataclass(frozen=True, slots=True)
class ShareCells:
    """One share with its ends and bar."""

    share: Share
    low: float | None
    high: float | None
    bar: Interval


@dataclass(frozen=True, slots=True)
class DecliningLine:
    """One slice with its bars."""

    row: Declining
    cells: tuple[ShareCells, ShareCells]


@dataclass(frozen=True, slots=True)
class SourcesPage:
    """Everything the page prints."""

    run: Run
    found: Sources
    axis: Axis
    drift: str
    metrics: tuple[StoredLine, ...]
    lines: tuple[DecliningLine, ...]
    whole: DecliningLine


def sources_page(run: Run, slice_key: str) -> SourcesPage:
    """Return the page of a run."""
    found, on = sources(run, slice_key), share_axis()
    named = (
        ("Groundedness", found.faithfulness),
        ("Support from gold", found.support_from_gold),
        ("Citation precision", found.citation_precision),
        ("Citation coverage", found.citation_coverage),
    )
    return SourcesPage(
        run=run,
        found=found,
        axis=on,
        drift=drift_words(found),
        metrics=tuple(StoredLine(title, one, interval(on, one.value, one.low, one.high)) for title, one in named),
        lines=tuple(_line(row, on) for row in found.slices),
        whole=_line(found.whole, on),
    )


def _line(row: Declining, on: Axis) -> DecliningLine:
    return DecliningLine(row, (_cells(row.false_answers, on), _cells(row.over_abstention, on)))


def _cells(share: Share, on: Axis) -> ShareCells:
    low, high = share.ends
    return ShareCells(share, low, high, interval(on, share.value, low, high))
