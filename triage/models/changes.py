"""What was changed, by whom, from where. Rows are only ever added: a trigger of the database refuses the rest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from triage.core.acting import Via
from triage.models.projects import Project

#: Rows fetched at once while a journal is sent.
ROWS_AT_ONCE = 2_000


class Changes(models.QuerySet["Change"]):
    """Changes of a project, newest first."""

    def in_project(self, project: Project) -> Self:
        """Return the changes of this project."""
        return self.filter(project=project.pk).order_by("-pk")

    def of_accounts(self) -> Self:
        """Return what belongs to no project: log-ins, passwords, keys of the review screen."""
        return self.filter(project__isnull=True).order_by("-pk")

    def matching(
        self, *, action: str = "", who: str = "", since: date | None = None, until: date | None = None
    ) -> Self:
        """Return those of an action (or its object: `run`), a person, and a span of days (UTC, both included)."""
        found = self
        if action:
            found = found.filter(models.Q(action=action) | models.Q(action__startswith=f"{action}."))
        if who:
            found = found.filter(who=who)
        if since:
            found = found.filter(at__date__gte=since)
        if until:
            found = found.filter(at__date__lte=until)
        return found

    def before(self, pk: int | None) -> Self:
        """Return those older than this one."""
        return self if pk is None else self.filter(pk__lt=pk)

    def streamed(self) -> Iterator[Change]:
        """Yield them oldest first, a bounded number in memory."""
        return self.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE)


class Change(models.Model):
    """One change. Names and keys are copied: the row outlives the object, the person and the project."""

    project = models.ForeignKey(
        Project, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="changes"
    )
    #: By the database's clock.
    at = models.DateTimeField(db_default=Now())
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    #: The name to log in with at that moment; blank for commands and workers.
    who = models.CharField(max_length=150, blank=True)
    via = models.CharField(max_length=8, choices=[(via.value, via.value) for via in Via])
    #: URL name, command or task.
    place = models.CharField(max_length=80, blank=True)
    #: object.verb, e.g. `member.role_changed`.
    action = models.CharField(max_length=40)
    #: What names the object within its kind: a run's key, a member's user name ...
    key = models.CharField(max_length=300)
    old = models.JSONField(null=True)
    new = models.JSONField(null=True)

    objects = Changes.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="changes_newest_first"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.key}"
