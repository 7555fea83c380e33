"""The journal as a page and as files."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.http import urlencode

from triage.core.acting import Via
from triage.core.formula import harmless
from triage.models import Change, Project

PAGE_SIZE = 50
COLUMNS = ("id", "at", "who", "via", "place", "action", "key", "old", "new")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)\Z")
PLACES = {Via.PAGE: "page", Via.API: "API", Via.COMMAND: "command", Via.WORKER: "worker"}


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One change; old and new as short words, `field: value`."""

    at: datetime
    who: str
    place: str
    what: str
    key: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Everything the list prints. `older`: the id to ask for the next page with, or nothing."""

    project: Project
    lines: tuple[ChangeLine, ...]
    asked: tuple[tuple[str, str], ...]
    older: int | None
    is_first: bool

    @property
    def query_string(self) -> str:
        """Return the filter as the start of a query string, for the links."""
        return "".join(f"{urlencode([pair])}&" for pair in self.asked)


def changes_page(project: Project, wanted: dict[str, Any], before: int | None) -> ChangesPage:
    """Read one page of the list."""
    found = Change.objects.in_project(project).matching(**wanted).before(before)
    rows = list(found[: PAGE_SIZE + 1])
    older = rows[PAGE_SIZE - 1].pk if len(rows) > PAGE_SIZE else None
    asked = tuple((name, str(value)) for name, value in wanted.items())
    return ChangesPage(project, tuple(_line(row) for row in rows[:PAGE_SIZE]), asked, older, before is None)


def _line(row: Change) -> ChangeLine:
    place = f"{PLACES[Via(row.via)]} {row.place}".strip()
    what = row.action.replace(".", ": ").replace("_", " ")
    return ChangeLine(row.at, row.who, place, what, row.key, _words(row.old), _words(row.new))


def _words(value: object) -> tuple[str, ...]:
    """Return the fields of a value as words."""
    if value is None:
        return ()
    if isinstance(value, dict):
        return tuple(f"{name.replace('_', ' ')}: {in_words(each)}" for name, each in value.items()) or ("(nothing)",)
    return (in_words(value),)


def in_words(value: object) -> str:
    """Return a JSON value as people say it: moments as on every page, lists with commas, no brackets, no quotes."""
    if isinstance(value, str):
        return _moment(value) or value or "(empty)"
    if isinstance(value, dict):
        return in_words([f"{name.replace('_', ' ')} {in_words(each)}" for name, each in value.items()])
    if isinstance(value, list):
        return ", ".join(map(in_words, value)) or "(nothing)"
    if value is None or isinstance(value, bool):
        return {None: "not set", True: "yes", False: "no"}[value]
    return str(value)


def _moment(text: str) -> str | None:
    """Return a moment of ISO 8601 with its offset as the pages print one; None for any other text."""
    if not MOMENT.match(text):
        return None
    try:
        return date_format(datetime.fromisoformat(text).astimezone(UTC), "j M Y, H:i") + " UTC"
    except (ValueError, OverflowError):
        return None


def told(row: Change) -> dict[str, object]:
    """Return the change as JSON."""
    values = {name: getattr(row, name) for name in COLUMNS}
    return {**values, "at": row.at.isoformat()}


def json_lines(rows: Iterable[Change]) -> Iterator[str]:
    """Yield one JSON object a line."""
    for row in rows:
        yield json.dumps(told(row), ensure_ascii=False, allow_nan=False) + "\n"


class _Line:
    """Lets the csv module hand a line back instead of writing it."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Change]) -> Iterator[str]:
    """Yield CSV (RFC 4180) line by line; text never runs as a formula."""
    writer: Any = csv.writer(_Line(), lineterminator="\r\n")
    yield writer.writerow(COLUMNS)
    for row in rows:
        values = told(row)
        cells = [harmless(_cell(values[name])) for name in COLUMNS[1:]]
        yield writer.writerow([row.pk, *cells])


def _cell(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


#: ending -> (content type, rows to pieces of text)
FILES: dict[str, tuple[str, Callable[[Iterable[Change]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", csv_lines),
    "jsonl": ("application/x-ndjson; charset=utf-8", json_lines),
}
