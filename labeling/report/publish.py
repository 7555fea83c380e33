"""Publishing a release note: its bytes are kept as they are now, under a link that later reviews do not move."""

from __future__ import annotations

import hashlib

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pydantic import TypeAdapter

from labeling.core.note import ReleaseNote
from labeling.models import NoteSnapshot
from labeling.report.assemble import report
from labeling.report.render import render
from triage import journal
from triage.models import Run

_NOTES = TypeAdapter(ReleaseNote)


class WithdrawnError(Exception):
    """The note is withdrawn already."""

    def __str__(self) -> str:
        return "Somebody withdrew this note already."


@transaction.atomic
def publish(run: Run, by: User | None, against: Run | None = None) -> NoteSnapshot:
    """Keep the release note of the run as it stands, and return it. The same state again is the same snapshot.

    Raises NotClassifiedError before the run's first classification.
    """
    note = report(run, against)
    texts = {to: render(note, to).text for to in NoteSnapshot.TEXTS}
    found, is_new = NoteSnapshot.objects.get_or_create(
        run=run,
        content_hash=hash_of(texts["json"]),
        defaults={
            **texts,
            "release": note.release or note.name,
            "note": _NOTES.dump_json(note).decode(),
            "published_by": by,
        },
    )
    if is_new:
        new = {"snapshot": found.key, "sha256": found.content_hash}
        journal.note("report.published", run.project_id, run.key, new=new, by=by)
    return found


def hash_of(text: str) -> str:
    """Return the sha256 of a file's bytes, as `sha256sum` prints it."""
    return hashlib.sha256(text.encode()).hexdigest()


def note_of(snapshot: NoteSnapshot) -> ReleaseNote | None:
    """Return the note as it was; None where a note this old cannot be read any more: its files still can."""
    try:
        return _NOTES.validate_json(snapshot.note)
    except ValueError:
        return None


@transaction.atomic
def withdraw(snapshot: NoteSnapshot, by: User, reason: str) -> None:
    """Mark a published note as taken back; it stays, its bytes too. Raises WithdrawnError for the second one."""
    standing = NoteSnapshot.objects.filter(pk=snapshot.pk, withdrawn_at=None)
    if not standing.update(withdrawn_at=timezone.now(), withdrawn_by=by, withdrawn_because=reason):
        raise WithdrawnError
    journal.note("report.withdrawn", snapshot.run.project_id, snapshot.run.key, old={"snapshot": snapshot.key}, by=by)
