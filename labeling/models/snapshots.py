"""A release note as it was published: frozen bytes that later reviews do not move."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from labeling.models.verdicts import Outcome
from triage.models import Project, Run
from triage.models.keys import new_key


class NoteSnapshots(models.QuerySet["NoteSnapshot"]):
    """Published notes by project and by run, without their texts: a list does not read those."""

    def listed(self) -> Self:
        """Return the notes, the newest first, with what a list shows."""
        light = self.select_related("run", "published_by").defer(*self.model.TEXTS, "note")
        return light.annotate(reviewed_since=_reviewed_since()).order_by("-pk")

    def of_project(self, project: Project) -> Self:
        """Return the project's published notes."""
        return self.filter(run__project=project).listed()

    def of_run(self, run: Run) -> Self:
        """Return the run's published notes."""
        return self.filter(run=run).listed()


def _reviewed_since() -> models.Exists:
    """Say whether people settled a query of the run after the note was published."""
    run, at = models.OuterRef("run"), models.OuterRef("published_at")
    return models.Exists(Outcome.objects.filter(query__run=run, settled_at__gt=at))


class NoteSnapshot(models.Model):
    """One published release note. A trigger in the database refuses to change its texts; withdrawing only marks it."""

    #: The columns that hold the files as they were made.
    TEXTS = ("md", "csv", "json", "html")

    key = models.CharField(max_length=10, unique=True, default=new_key)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="snapshots")
    release = models.CharField(max_length=300)
    #: The note as data, in JSON whose keys keep their order: what the page prints.
    note = models.TextField()
    md = models.TextField()
    csv = models.TextField()
    json = models.TextField()
    html = models.TextField()
    #: sha256 of the JSON file: the same state has the same hash, and anybody can check it.
    content_hash = models.CharField(max_length=64)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)
    #: Why it was withdrawn; blank = it stands.
    withdrawn_because = models.TextField(blank=True)

    objects = NoteSnapshots.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "content_hash"], name="one_snapshot_per_state")]

    def __str__(self) -> str:
        return f"{self.release} {self.content_hash[:12]}"

    @property
    def is_withdrawn(self) -> bool:
        """Say whether somebody took the note back."""
        return self.withdrawn_at is not None

    @property
    def short_hash(self) -> str:
        """Return the first 12 digits, as people compare them."""
        return self.content_hash[:12]
