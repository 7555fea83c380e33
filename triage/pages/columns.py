"""A table before its import: each column with its first values, and what it is taken for."""

from __future__ import annotations

from dataclasses import dataclass

from django.forms import BoundField, Form

from triage.formats import Preview
from triage.models import Upload

#: Characters of a value that are shown: enough to tell an answer from an id.
SHOWN_CHARS = 90
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """One column: its name, its first values and the field of the form that says what it is."""

    name: str
    values: tuple[str, ...]
    field: BoundField


@dataclass(frozen=True, slots=True)
class ColumnsPage:
    """The columns of a table in their order, and what could not be read of its first rows."""

    upload: Upload
    lines: tuple[ColumnLine, ...]
    delimiter: str
    rows: int
    faults: tuple[str, ...]


def columns_page(upload: Upload, table: Preview, form: Form) -> ColumnsPage:
    """Return the page of a table's first rows."""
    return ColumnsPage(
        upload=upload,
        lines=tuple(
            ColumnLine(name, tuple(_short(row[name]) for row in table.rows if row.get(name)), form[f"column_{number}"])
            for number, name in enumerate(table.columns)
        ),
        delimiter=_DELIMITERS.get(table.delimiter, table.delimiter),
        rows=len(table.rows),
        faults=tuple(table.faults),
    )


def _short(value: str) -> str:
    return value if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]}…"
