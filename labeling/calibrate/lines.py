"""Rows of the judge page: figures with their bars, thresholds, and the matrix of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.core.figure_line import FigureLine
from labeling.models import Calibration
from labeling.models.calibrations import LABELS
from triage.core.labels import FOUR_CLASSES
from triage.core.pictures import Axis, axis, heat, interval
from triage.models import Judge, Project


@dataclass(frozen=True, slots=True)
class SweepLine:
    """One row of the threshold table."""

    threshold: float
    balanced: float
    low: float
    high: float
    tpr: float
    tnr: float
    in_use: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell of the matrix of labels, with a tint by its share of the largest."""

    count: float
    tint: int
    agrees: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """What people called `label`, by what the machine said."""

    label: str
    cells: tuple[MatrixCell, ...]
    total: float


@dataclass(frozen=True, slots=True)
class LabelLine:
    """Precision, recall and F1 of one label."""

    label: str
    precision: FigureLine
    recall: FigureLine
    f1: FigureLine


@dataclass(frozen=True, slots=True)
class LabelsPart:
    """The four labels: matrix, figures per label, agreement beside people's own."""

    columns: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    lines: tuple[LabelLine, ...]
    machine: tuple[FigureLine, ...]
    people: tuple[FigureLine, ...]


@dataclass(frozen=True, slots=True)
class RateLine:
    """What a judge passes in one run, and what that comes to."""

    run: str
    name: str
    judged: int
    passes: float
    labelled: int
    is_by_own_labels: bool
    corrected: FigureLine


def rate_lines(project: Project, rates: Sequence[Mapping[str, Any]], on: Axis) -> tuple[RateLine, ...]:
    """Return the stored rates of the project's runs that still exist."""
    names = dict(project.runs.filter(key__in=[rate["run"] for rate in rates]).values_list("key", "name"))
    return tuple(
        RateLine(
            rate["run"],
            names[rate["run"]],
            rate["judged"],
            rate["passes"] / rate["judged"],
            rate["labelled"],
            rate["by"] == "prediction_powered",
            line("", rate["corrected"], on),
        )
        for rate in rates
        if rate["run"] in names
    )


def line(name: str, told: Mapping[str, Any], on: Axis) -> FigureLine:
    """Return a stored figure as a line of a table with its bar."""
    bar = interval(on, told["value"], told["low"], told["high"])
    return FigureLine(name, told["value"], told["low"], told["high"], told["n"], told.get("undefined", ""), bar)


def labels_part(project: Project, judge: Judge, on: Axis) -> LabelsPart | None:
    """Return how the machine's labels compare with people's where they rest on this judge; None = not compared."""
    rows = Calibration.objects.filter(project=project, judge=judge, kind=LABELS).order_by("-computed_at", "-pk")
    newest = rows.first()
    if newest is None:
        return None
    told = newest.figures
    most = max((cell for row in told["matrix"] for cell in row), default=0)
    matrix = tuple(
        MatrixRow(
            label,
            tuple(MatrixCell(cell, heat(cell, most), place == column) for column, cell in enumerate(cells)),
            sum(cells),
        )
        for place, (label, cells) in enumerate(zip(told["categories"], told["matrix"], strict=True))
    )
    lines = tuple(
        LabelLine(str(label), *(line(key, told["per_label"][label][key], on) for key in ("precision", "recall", "f1")))
        for label in FOUR_CLASSES
    )
    wide = axis(-1.0, 1.0, (-1.0, 0.0, 1.0), places=0)
    machine = (line("raw", told["raw_agreement"], wide), line("kappa", told["kappa"], wide))
    people = (line("raw", told["people"]["raw"], wide), line("kappa", told["people"]["kappa"], wide))
    return LabelsPart(tuple(told["categories"]), matrix, lines, machine, people)
