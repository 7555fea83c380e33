"""The trend as Markdown, CSV and JSON: the same state gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from labeling.core.csv_text import to_csv
from labeling.core.markdown import to_markdown_table
from labeling.core.tables import Cell, Column, Missing, Number, Table, Text, number
from labeling.trend.listing import METRICS, Release, Trend
from labeling.trend.page import changed_words
from triage import journal
from triage.core.labels import FOUR_CLASSES

LABELS = tuple(str(label) for label in FOUR_CLASSES)
#: format -> content type
FORMATS = {
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}


def rendered(found: Trend, to: str) -> str:
    """Return the trend in one of FORMATS (KeyError for another)."""
    return _MAKE[to](found)


def handed_out(found: Trend, to: str) -> str:
    """Return the trend as it leaves the product, and write that it did."""
    new = {"format": to, "evaluation_set": found.evaluation_set}
    journal.note("trend.downloaded", found.project, found.project.slug, new=new)
    return rendered(found, to)


def _json(found: Trend) -> str:
    return json.dumps(as_json(found), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _csv(found: Trend) -> str:
    return to_csv(_table(found))


def as_json(found: Trend) -> dict[str, Any]:
    """Return the trend as one object of strict JSON."""
    return {
        "project": found.project.slug,
        "evaluation_set": found.evaluation_set,
        "pipeline": found.pipeline,
        "targets": {key: found.targets.get(key) for key in METRICS},
        "releases": [_release(release) for release in found.releases],
    }


def _release(release: Release) -> dict[str, Any]:
    definition = release.definition
    return {
        "run": release.run.key,
        "release": release.run.release,
        "name": release.run.name,
        "day": release.at.date().isoformat(),
        "k": release.run.config.get("k"),
        "policy": definition.policy,
        "judges": sorted(definition.judges),
        "gold_version": definition.gold_version,
        "evaluation_set_version": definition.set_version,
        "changed": list(release.changed),
        "other_k": release.is_other_k,
        "other_basis": release.is_other_basis,
        "queries": release.queries,
        "failing": release.failing,
        "classes": {label: asdict(release.classes[label]) for label in LABELS},
        "metrics": {key: asdict(release.metrics[key]) for key in METRICS},
    }


def _table(found: Trend) -> Table:
    columns = [Column("Release", "release"), Column("Day", "day"), Column("Queries", "queries", is_number=True)]
    columns.append(Column("Failing", "failing", is_number=True))
    for label in LABELS:
        ends = [Column(f"{label} {end}", f"{label}_{end}", is_number=True) for end in ("low", "high")]
        columns += [Column(label, label, is_number=True), *ends]
    columns.append(Column("Counts are", "basis"))
    for key in METRICS:
        ends = [Column(f"{key} {end}", f"{key}_{end}", is_number=True) for end in ("low", "high", "n")]
        columns += [Column(key, key, is_number=True), *ends]
    columns.append(Column("Measured otherwise than before", "changed"))
    return Table(tuple(columns), tuple(_row(release) for release in found.releases))


def _row(release: Release) -> tuple[Cell, ...]:
    cells: list[Cell] = [Text(release.name), Text(release.at.date().isoformat())]
    cells += [number(release.queries), number(release.failing)]
    for label in LABELS:
        one = release.classes[label]
        places = 1 if one.is_corrected else 0
        cells.append(number(one.count, places))
        cells += [number(end, 1, reason="automatic") for end in (one.low, one.high)]
    cells.append(Text("corrected" if release.is_corrected else "automatic"))
    for summary in (release.metrics[key] for key in METRICS):
        cells += [number(end, 3, reason="no value") for end in (summary.value, summary.low, summary.high)]
        cells.append(number(summary.n))
    return (*cells, Text(words) if (words := changed_words(release)) else Missing("nothing"))


def _markdown(found: Trend) -> str:
    """Return two narrow tables: a table of thirty columns is read by nobody."""
    what = (
        "Evaluation set ",
        Text(found.evaluation_set or "not named"),
        ", pipeline ",
        Text(found.pipeline or "not named"),
    )
    note = ". Counts of failing queries; an interval where people read a random draw."
    classes = Table(
        (Column("Release"), *(Column(label, is_number=True) for label in LABELS), Column("Measured otherwise")),
        tuple(_class_row(release) for release in found.releases),
    )
    metrics = Table(
        (Column("Release"), *(Column(key, is_number=True) for key in METRICS)),
        tuple(_metric_row(release) for release in found.releases),
    )
    return (
        to_markdown_table((*what, note), classes) + "\n" + to_markdown_table(("Metrics with 95 % intervals.",), metrics)
    )


def _class_row(release: Release) -> tuple[Cell, ...]:
    cells: list[Cell] = [Text(release.name)]
    for one in (release.classes[label] for label in LABELS):
        shown = number(one.count, 1 if one.is_corrected else 0)
        ends = number(one.low, 1), number(one.high, 1)
        cells.append(
            Text(f"{_shown(shown)} ({_shown(ends[0])} to {_shown(ends[1])})") if one.low is not None else shown
        )
    return (*cells, Text(changed_words(release)))


def _shown(cell: Number | Missing) -> str:
    return cell.shown if isinstance(cell, Number) else cell.reason


def _metric_row(release: Release) -> tuple[Cell, ...]:
    cells: list[Cell] = [Text(release.name)]
    for summary in (release.metrics[key] for key in METRICS):
        value = number(summary.value, 3, reason="no value")
        ends = number(summary.low, 3), number(summary.high, 3)
        words = f"{_shown(value)} ({_shown(ends[0])} to {_shown(ends[1])}), n {summary.n}"
        cells.append(Text(words) if summary.low is not None else value)
    return tuple(cells)


_MAKE: dict[str, Callable[[Trend], str]] = {"md": _markdown, "csv": _csv, "json": _json}
