"""The economics of a reranker as their page prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.core.tables import Document
from labeling.economics.document import document
from labeling.economics.read import LEAST, MOST, Economics
from triage.core.scatter import Scatter, scatter
from triage.models import Project, Run


@dataclass(frozen=True, slots=True)
class EconomicsPage:
    """Everything the page prints; `found` None = fewer than two runs are chosen yet."""

    project: Project
    found: Economics | None
    report: Document | None
    picture: Scatter | None
    picture_words: str
    choices: tuple[Run, ...]
    chosen: tuple[str, ...]
    least: int = LEAST
    most: int = MOST


def economics_page(project: Project, found: Economics | None, chosen: Sequence[Run]) -> EconomicsPage:
    """Return the page."""
    picture, words = _picture(found) if found and found.fit.points else (None, "")
    choices = project.runs.exclude(summary={}).only("key", "name", "release", "config").order_by("pk")[:100]
    return EconomicsPage(
        project=project,
        found=found,
        report=document(found) if found else None,
        picture=picture,
        picture_words=words,
        choices=tuple(choices),
        chosen=tuple(run.key for run in chosen),
    )


def _picture(found: Economics) -> tuple[Scatter, str]:
    line = found.fit
    ends = None if line.fixed_ms is None or line.ms_each is None else (line.fixed_ms, line.ms_each)
    points = [(point.candidates, point.added_ms, f"{point.added_ms:.0f} ms") for point in line.points]
    said = ", ".join(f"{point.candidates:.0f} candidates {point.added_ms:.1f} ms" for point in line.points)
    return scatter(points, ends), f"Added latency by candidates: {said}."
