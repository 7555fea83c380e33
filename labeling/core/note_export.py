"""The release note for machines: the class table for CSV, the whole note as JSON with stable keys."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from labeling.core.note import Metric, ReleaseNote
from labeling.core.release_note import TOTAL, ClassRow
from labeling.core.tables import Cell, Column, Table, Text, number, percent, points

CSV_COLUMNS = (
    "class",
    "automatic",
    "reviewed",
    "confirmed",
    "corrected",
    "corrected_low",
    "corrected_high",
    "share",
    "share_of",
    "previous",
    "previous_of",
    "change",
    "owner",
    "run",
    "release",
    "policy",
    "gold_version",
)


def to_table(note: ReleaseNote) -> Table:
    """Return the class table for CSV: plain numbers, one row a class, each row naming what it rests on."""
    rows = tuple(_csv_row(note, row) for row in note.table.all_rows)
    return Table(tuple(Column(key, key) for key in CSV_COLUMNS), rows)


def _csv_row(note: ReleaseNote, row: ClassRow) -> tuple[Cell, ...]:
    interval = "n/a" if row.label == TOTAL else row.state("interval")
    return (
        Text(row.label),
        number(row.automatic, reason=row.state("automatic")),
        number(row.reviewed, reason=row.state("reviewed")),
        number(row.confirmed, reason=row.state("confirmed")),
        number(row.corrected, 1, reason=row.state("corrected")),
        number(row.low, 1, reason=interval),
        number(row.high, 1, reason=interval),
        percent(row.share, reason=row.state("share")),
        Text(note.table.share_of),
        number(row.previous, 1, reason=row.state("previous")),
        Text(note.table.previous_of or "n/a"),
        points(row.change, reason=row.state("change")),
        Text(row.owner or "n/a"),
        Text(note.run),
        Text(note.release or note.name),
        Text(note.policy),
        number(note.gold_version),
    )


def to_json(note: ReleaseNote) -> str:
    """Return the note as one strict JSON object, keys in a fixed order, ending in a newline."""
    return json.dumps(as_json(note), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def as_json(note: ReleaseNote) -> dict[str, Any]:
    """Return the note by its stable keys (formats.md section 4); more may be added, none is renamed."""
    people = note.population
    return {
        "run": note.run,
        "name": note.name,
        "release": note.release,
        "project": note.project,
        "pipeline": note.pipeline,
        "evaluation_set": note.evaluation_set,
        "population": {
            "queries": people.queries,
            "failing": people.failing,
            "correct": people.correct,
            "undecided": people.undecided,
            "by_match": people.by_match,
            "accuracy": note.accuracy.as_json() if note.accuracy else None,
            "accuracy_after_review": note.accuracy_after.as_json() if note.accuracy_after else None,
        },
        "policy": note.policy,
        "judges": [asdict(judge) for judge in note.judges],
        "gold_version": note.gold_version,
        "share_of": note.table.share_of,
        "rows": [_row_json(row) for row in note.table.all_rows],
        "sub_causes": [asdict(row) for row in note.sub_causes],
        "previous": _previous_json(note),
        "agreement": {"people": note.people.as_json(), "machine": note.machine.as_json()},
        "drawn": note.drawn,
        "audited": note.audited,
        "closure": [asdict(check) for check in note.closure],
        "metrics": {metric.key: _metric_json(metric) for metric in note.metrics},
    }


def _row_json(row: ClassRow) -> dict[str, Any]:
    keys = ("automatic", "reviewed", "confirmed", "corrected", "low", "high", "share", "previous", "change")
    return {
        "class": row.label,
        **{key: getattr(row, key) for key in keys},
        "owner": row.owner,
        "outside_total": row.is_outside,
        "states": dict(row.states),
        **{key: list(value) for key, value in asdict(row.moves).items()},
    }


def _previous_json(note: ReleaseNote) -> dict[str, Any] | None:
    if note.paired is None:
        return None
    return {
        "run": note.previous_run,
        "release": note.previous,
        "compares": note.table.previous_of,
        "why_not_comparable": note.why_not_comparable,
        **asdict(note.paired),
        "decision": str(note.paired.decision),
    }


def _metric_json(metric: Metric) -> dict[str, Any]:
    return {
        "value": metric.value,
        "low": metric.low,
        "high": metric.high,
        "n": metric.n,
        "left_out": dict(metric.left_out),
        "target": metric.target,
        "against_target": metric.against_target,
    }
