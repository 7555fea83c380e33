"""A table as CSV: numbers stay numbers, text never runs as a formula (SEC-20)."""

from __future__ import annotations

import csv
import io

from labeling.core.tables import Cell, Number, Table, Text
from triage.core.formula import harmless


def _csv(cell: Cell) -> str | float:
    if isinstance(cell, Number):
        return int(cell.value) if float(cell.value).is_integer() else round(cell.value, 6)
    return harmless(cell.words if isinstance(cell, Text) else cell.reason)


def to_csv(table: Table) -> str:
    """Return the table as CSV (RFC 4180, UTF-8): numbers stay numbers, everything else is neutralised text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([column.key or column.title for column in table.columns])
    writer.writerows([[_csv(cell) for cell in row] for row in table.rows])
    return out.getvalue()
