"""A release note as a file to download or to print."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpResponse

from labeling.core.csv_text import to_csv
from labeling.core.html_page import to_html
from labeling.core.markdown import to_markdown
from labeling.core.note import ReleaseNote
from labeling.core.note_document import document
from labeling.core.note_export import to_json, to_table
from triage import journal
from triage.models import Run

#: format -> (content type, how it is made)
FORMATS: dict[str, tuple[str, Callable[[ReleaseNote], str]]] = {
    "md": ("text/markdown; charset=utf-8", lambda note: to_markdown(document(note))),
    "csv": ("text/csv; charset=utf-8", lambda note: to_csv(to_table(note))),
    "json": ("application/json", to_json),
    "html": ("text/html; charset=utf-8", lambda note: to_html(document(note))),
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a file, its type, and a name that is safe anywhere."""

    text: str
    content_type: str
    file_name: str


def render(note: ReleaseNote, to: str) -> Rendered:
    """Render the note in one of FORMATS (KeyError for another)."""
    content_type, make = FORMATS[to]
    return Rendered(make(note), content_type, file_name(note.release or note.name, note.run, to))


def type_of(to: str) -> str:
    """Return the content type of a format."""
    return FORMATS[to][0]


def file_name(release: str, key: str, to: str) -> str:
    """Return the name a note is saved under."""
    return f"release-note-{safe_name(release)}-{key}.{to}"


def safe_name(words: str) -> str:
    """Return words as part of a file name: letters, digits, dots and hyphens of ASCII, never a leading dot."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", words).strip("-.")[:60] or "run"


def attachment(run: Run, note: ReleaseNote, to: str) -> HttpResponse:
    """Return the rendered note as a download."""
    journal.note("report.downloaded", run.project_id, run.key, new={"format": to})
    return as_attachment(render(note, to))


def as_attachment(made: Rendered) -> HttpResponse:
    """Return a file as a download: never shown in the page's origin, never sniffed."""
    response = HttpResponse(made.text, content_type=made.content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{made.file_name}"'
    return response
