"""Rows as lines of JSON and as CSV, and reviewers under keys that tell no names."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from triage.core.formula import harmless

#: Rows in one piece of a file that is made piece by piece.
ROWS_A_PIECE = 500


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return one strict JSON object a line."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def csv_rows(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> str:
    """Return the rows as CSV; a value that is not there is the word `none`."""
    return "".join(csv_pieces(rows, columns))


def json_pieces(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the same lines as `json_lines`, some hundred at a time: memory does not grow with the rows."""
    walk = iter(rows)
    while some := list(islice(walk, ROWS_A_PIECE)):
        yield json_lines(some)


def csv_pieces(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> Iterator[str]:
    """Yield the same text as `csv_rows`, some hundred rows at a time. Numbers stay numbers, text is no formula."""
    names, walk = list(columns), iter(rows)
    yield _written([names])
    while some := list(islice(walk, ROWS_A_PIECE)):
        yield _written([_cell(row.get(name)) for name in names] for row in some)


def _written(rows: Iterable[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def _cell(value: Any) -> str | float:  # noqa: ANN401 - any JSON value
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return int(value) if float(value).is_integer() else round(value, 6)
    if isinstance(value, dict):
        return harmless("; ".join(f"{name}={said}" for name, said in sorted(value.items())))
    return harmless(str(value))


def pseudonym(project_id: int, reviewer: str) -> str:
    """Return the key a reviewer goes by in exports: the same within a project, telling nothing about the person."""
    return "reviewer-" + hashlib.sha256(f"{project_id}\x1f{reviewer}".encode()).hexdigest()[:8]
