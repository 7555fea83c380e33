"""The agreement page: stored figures with their bars, and the matrix whose cells lead to their items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from labeling.agree.run import basis_now
from labeling.agree.words import by_item, label_words
from labeling.core.figure_line import FigureLine
from labeling.core.meanings import OF_AGREEMENT, Meaning
from labeling.models import AgreementReport
from triage.core.labels import CODEBOOK_BY_LABEL
from triage.core.pictures import Axis, axis, heat, interval
from triage.models import Query, Run

COEFFICIENTS = (
    ("raw", "Raw agreement"),
    ("kappa", "Kappa"),
    ("alpha", "Krippendorff’s alpha"),
    ("ac1", "Gwet’s AC1"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """How often two words met on one item, with a tint by its share of the largest."""

    column: str
    count: float
    tint: int
    agrees: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One comparison: coefficients, per-class agreement, the matrix behind them."""

    n: int
    queries: int
    single: int
    figures: tuple[FigureLine, ...]
    per_class: tuple[FigureLine, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True, slots=True)
class AgreementPage:
    """What the page prints. None = nobody computed it yet."""

    run: Run
    computed_at: datetime | None
    is_stale: bool
    labels: Part | None = None
    machine: Part | None = None
    claims: Part | None = None
    anchoring: FigureLine | None = None
    meanings: tuple[Meaning, ...] = OF_AGREEMENT


def agreement_page(run: Run) -> AgreementPage:
    """Return the page of a run."""
    stored = AgreementReport.objects.filter(run=run).first()
    if stored is None:
        return AgreementPage(run, None, is_stale=True)
    told = stored.figures
    return AgreementPage(
        run=run,
        computed_at=stored.computed_at,
        is_stale=stored.basis != basis_now(run),
        labels=_part(told["labels"]),
        machine=_part(told["machine"]),
        claims=_part(told["claims"]),
        anchoring=_line("Anchoring", told["anchoring"], _wide()),
    )


def agreement_items(run: Run, left: str, right: str) -> list[Query]:
    """Return the queries on which one person blindly said `left` and another `right`."""
    wanted = []
    for words in by_item(label_words(run)).values():
        said = [word.label for word in words]
        pairs = {(one, other) for place, one in enumerate(said) for at, other in enumerate(said) if at != place}
        if (left, right) in pairs:
            wanted.append(words[0].query)
    return list(run.queries.filter(pk__in=wanted).order_by("position"))


def _wide() -> Axis:
    return axis(-1.0, 1.0, (-1.0, 0.0, 1.0), places=0)


def _line(name: str, told: Mapping[str, Any], on: Axis) -> FigureLine:
    bar = interval(on, told["value"], told["low"], told["high"])
    return FigureLine(name, told["value"], told["low"], told["high"], told["n"], told.get("undefined", ""), bar)


def _title(name: str) -> str:
    """Return a label or a support as people read it."""
    entry = CODEBOOK_BY_LABEL.get(name)
    return entry.title if entry else name.capitalize()


def _part(told: Mapping[str, Any]) -> Part:
    """Return one stored comparison as lines."""
    on = _wide()
    most = max((cell for row in told["matrix"] for cell in row), default=0)
    names = told["categories"]
    rows = tuple(
        (
            name,
            tuple(Cell(names[place], cell, heat(cell, most), names[place] == name) for place, cell in enumerate(cells)),
        )
        for name, cells in zip(names, told["matrix"], strict=True)
    )
    return Part(
        n=told["n"],
        queries=told["queries"],
        single=told.get("single", 0),
        figures=tuple(_line(words, told[key], on) for key, words in COEFFICIENTS),
        per_class=tuple(_line(_title(name), figure, on) for name, figure in told["per_class"].items()),
        columns=tuple(names),
        rows=rows,
    )
