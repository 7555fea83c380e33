"""A published note as its page prints it: the frozen sheet, and whether the live numbers have moved since."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse

from labeling.core.note import ReleaseNote
from labeling.models import NoteSnapshot, Outcome
from labeling.report.page import ReportPage, report_page
from labeling.report.publish import hash_of, note_of
from labeling.report.render import Rendered, as_attachment, file_name, type_of
from triage import journal
from triage.models import Run


class DamagedError(Exception):
    """The stored bytes are not those that were published."""

    def __str__(self) -> str:
        return "The stored file does not match its content hash: restore this note from a backup."


@dataclass(frozen=True, slots=True)
class SnapshotPage:
    """Everything the page prints; `sheet` None = the note is too old to be drawn, its files are not."""

    snapshot: NoteSnapshot
    run: Run
    sheet: ReportPage | None
    #: Queries people settled after the note was published.
    settled_since: int
    #: What else moved the live numbers, in a sentence; blank = nothing.
    classified_since: str
    is_intact: bool
    formats: tuple[str, ...] = NoteSnapshot.TEXTS

    @property
    def is_behind(self) -> bool:
        """Say whether the live note rests on more than this one did."""
        return bool(self.settled_since or self.classified_since)


def snapshot_page(snapshot: NoteSnapshot) -> SnapshotPage:
    """Return the page of a published note: a number of SQL queries that does not depend on the rows."""
    run, note = snapshot.run, note_of(snapshot)
    since = Outcome.objects.filter(query__run=run, settled_at__gt=snapshot.published_at)
    return SnapshotPage(
        snapshot=snapshot,
        run=run,
        sheet=report_page(run, note, None) if note else None,
        settled_since=since.count(),
        classified_since=_moved(note, run) if note else "",
        is_intact=hash_of(snapshot.json) == snapshot.content_hash,
    )


def _moved(note: ReleaseNote, run: Run) -> str:
    """Say under which other policy or gold the run is classified by now."""
    parts = []
    if note.policy != run.policy_fingerprint:
        parts.append(f"policy {run.policy_fingerprint} instead of {note.policy}")
    if note.gold_version != run.gold_version:
        parts.append(f"gold v{run.gold_version} instead of v{note.gold_version}")
    return f"The run is classified under {' and '.join(parts)} by now." if parts else ""


def snapshot_file(snapshot: NoteSnapshot, to: str) -> HttpResponse:
    """Return one of the published files, byte for byte. Raises DamagedError where the JSON is not what was hashed."""
    if hash_of(snapshot.json) != snapshot.content_hash:
        raise DamagedError
    text: str = getattr(snapshot, to)
    journal.note("snapshot.downloaded", snapshot.run.project_id, snapshot.key, new={"format": to})
    return as_attachment(Rendered(text, type_of(to), file_name(snapshot.release, snapshot.key, to)))
