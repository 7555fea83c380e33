"""One way to print what a verb found: the same report as text, Markdown, HTML, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from labeling.core.csv_text import to_csv
from labeling.core.html_page import to_html
from labeling.core.markdown import to_markdown
from labeling.core.tables import Document, Table

Found = TypeVar("Found")


class Printer(Generic[Found]):
    """Prints what one verb found in each of `formats`: always Markdown, HTML and strict JSON."""

    def __init__(
        self,
        document: Callable[[Found], Document],
        as_json: Callable[[Found], dict[str, Any]],
        *,
        as_text: Callable[[Found], str] | None = None,
        as_rows: Callable[[Found], Table] | None = None,
    ) -> None:
        """Take the report, its stable keys and, where there are any, words for a terminal and rows for a sheet."""
        self._made: dict[str, Callable[[Found], str]] = {}
        if as_text is not None:
            self._made["text"] = lambda found: as_text(found) + "\n"
        self._made["md"] = lambda found: to_markdown(document(found))
        self._made["html"] = lambda found: to_html(document(found))
        if as_rows is not None:
            self._made["csv"] = lambda found: to_csv(as_rows(found))
        self._made["json"] = lambda found: json.dumps(as_json(found), allow_nan=False) + "\n"

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the names of the formats."""
        return tuple(self._made)

    def __call__(self, found: Found, to: str) -> str:
        """Return what was found in one of `formats` (KeyError for another)."""
        return self._made[to](found)
