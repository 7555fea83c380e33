"""Saying that a document is mended, and taking it back."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from labeling.core.mending import Fault
from labeling.models import MendedDocument
from triage.models import Project, Run


@transaction.atomic
def mark_mended(run: Run, user: User, fault: Fault, document: str, note: str = "") -> MendedDocument:
    """Note that the document is mended. A mark made since the run is the same mark: twice is once."""
    Project.objects.select_for_update(no_key=True).get(pk=run.project_id)
    standing = MendedDocument.objects.filter(project=run.project_id, kind=fault, document=document, undone_at=None)
    newest = standing.order_by("-pk").first()
    if newest is not None and newest.at >= (run.started_at or run.created_at):
        return newest
    return MendedDocument.objects.create(
        project=run.project, kind=fault, document=document, run=run, note=note.strip(), by=user
    )


def unmark(run: Run, user: User, fault: Fault, document: str) -> int:
    """Take back that the document is mended; return how many marks stood."""
    standing = MendedDocument.objects.filter(project=run.project_id, kind=fault, document=document, undone_at=None)
    return standing.update(undone_at=Now(), undone_by=user)
