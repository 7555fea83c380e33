"""Rows as lines of JSON and as CSV, and reviewers under keys that tell no names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from labeling.core.csv_text import to_csv
from labeling.core.tables import Cell, Column, Missing, Number, Table, Text

#: Rows in one piece of a file that is made piece by piece.
ROWS_A_PIECE = 500


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return one strict JSON object a line."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def csv_rows(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> str:
    """Return the rows as CSV; a value that is not there is the word `none`."""
    names = list(columns)
    return to_csv(Table(tuple(Column(name, name) for name in names), tuple(_cells(row, names) for row in rows)))


def json_pieces(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the same lines as `json_lines`, some hundred at a time: memory does not grow with the rows."""
    walk = iter(rows)
    while some := list(islice(walk, ROWS_A_PIECE)):
        yield json_lines(some)


def csv_pieces(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> Iterator[str]:
    """Yield the same text as `csv_rows`, some hundred rows at a time."""
    names, walk = list(columns), iter(rows)
    yield csv_rows([], names)
    while some := list(islice(walk, ROWS_A_PIECE)):
        yield csv_rows(some, names).partition("\r\n")[2]


def _cells(row: Mapping[str, Any], names: Iterable[str]) -> tuple[Cell, ...]:
    return tuple(_cell(row.get(name)) for name in names)


def _cell(value: Any) -> Cell:  # noqa: ANN401 - any JSON value
    if value is None:
        return Missing("none")
    if isinstance(value, bool):
        return Text("true" if value else "false")
    if isinstance(value, int | float):
        return Number(float(value), "")
    if isinstance(value, dict):
        return Text("; ".join(f"{name}={said}" for name, said in sorted(value.items())))
    return Text(str(value))


def pseudonym(project_id: int, reviewer: str) -> str:
    """Return the key a reviewer goes by in exports: the same within a project, telling nothing about the person."""
    return "reviewer-" + hashlib.sha256(f"{project_id}\x1f{reviewer}".encode()).hexdigest()[:8]
