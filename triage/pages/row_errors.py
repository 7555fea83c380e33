"""The lines an import left out, as a table for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from triage.core.formula import harmless

COLUMNS = ("line", "field", "found", "expected", "remedy")


def errors_csv(errors: Iterable[Mapping[str, object]]) -> str:
    """Return row errors as CSV (RFC 4180): line numbers stay numbers, text never runs as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for error in errors:
        writer.writerow([error["line"], *(harmless(str(error[name])) for name in COLUMNS[1:])])
    return out.getvalue()
