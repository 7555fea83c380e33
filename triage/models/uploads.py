"""Files on their way in, and the pulse of the workers."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models.functions import Now

from triage.core.limits import Limits
from triage.models.keys import new_key
from triage.models.projects import Project
from triage.models.runs import Run

#: A worker that reads a file says so twice a second; silent for this long, it is lost.
SILENT_S = 30


class Uploads(models.QuerySet["Upload"]):
    """Uploads by who sees them and by what is left to do."""

    def of(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """Return the uploads of the projects this user is a member of."""
        return self.filter(project__members__user=user.pk)

    def unfinished(self) -> Self:
        """Return the uploads no worker has finished, oldest first."""
        return self.filter(state__in=[Upload.State.WAITING, Upload.State.READING]).order_by("pk")

    def unclaimed(self) -> Self:
        """Return the unfinished uploads that no living worker reads."""
        silent = Now() - timedelta(seconds=SILENT_S)
        return self.unfinished().filter(models.Q(state=Upload.State.WAITING) | models.Q(heartbeat_at__lt=silent))

    def stoppable(self) -> Self:
        """Return the uploads that can be cancelled: those no worker has finished, and those that wait for a choice."""
        return self.filter(state__in=[Upload.State.CHOOSING, Upload.State.WAITING, Upload.State.READING])

    def with_columns(self, project_id: int, columns: list[str]) -> Self:
        """Return the uploads of a project whose tables had these columns and were told what they are, newest first."""
        return self.filter(project=project_id, columns=columns).exclude(mapping={}).order_by("-pk")

    def for_uploads_page(self, project: Project) -> Self:
        """Return the project's uploads, the newest first, their runs beside them."""
        return self.filter(project=project).select_related("run").order_by("-pk").defer("errors")


class Upload(models.Model):
    """One file on its way in. The run appears only when all of it has been read; the progress is kept here,
    written outside the import's transaction.
    """

    class State(models.TextChoices):
        """Where the file is."""

        #: Somebody must say which column of the table is which field.
        CHOOSING = "choosing"
        WAITING = "waiting"
        READING = "reading"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="uploads")
    key = models.CharField(max_length=10, unique=True, default=new_key)
    #: The name as the user's machine told it: shown, never used as a path.
    file_name = models.CharField(max_length=300)
    #: Name under UPLOAD_DIR (a UUID); blank once the file is removed.
    stored_as = models.CharField(max_length=60, blank=True)
    size_bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    file_format = models.CharField(max_length=40, blank=True)
    #: The columns of a table, and which of them is which field (blank = none); empty = told by the columns' names.
    columns = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Why it failed or what was decided (e.g. "the same content as run X"), in a sentence for people.
    reason = models.TextField(blank=True)
    errors = models.JSONField(default=list)
    error_count = models.IntegerField(default=0)
    attempts = models.IntegerField(default=0)
    bytes_read = models.BigIntegerField(default=0)
    lines_read = models.BigIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="uploads")
    #: False = the content was already there as `run`.
    created_run = models.BooleanField(null=True)

    objects = Uploads.as_manager()

    class Meta:
        indexes = [models.Index(fields=["project", "-created_at"], name="upload_newest_first")]

    def __str__(self) -> str:
        return self.file_name

    @property
    def path(self) -> Path:
        """Return where the stored file lies. Only valid while `stored_as` is not blank."""
        return Path(settings.UPLOAD_DIR) / self.stored_as

    def drop_file(self) -> None:
        """Remove the stored file: it has been read, or nobody wants it."""
        if self.stored_as:
            self.path.unlink(missing_ok=True)
            Upload.objects.filter(pk=self.pk).update(stored_as="")


def import_limits() -> Limits:
    """Return how much one file may ask, as the settings have it."""
    return Limits(
        file_bytes=settings.UPLOAD_MAX_BYTES,
        line_bytes=settings.LINE_MAX_BYTES,
        chunks=settings.CHUNKS_PER_QUERY_MAX,
        claims=settings.CLAIMS_PER_ANSWER_MAX,
        nesting=settings.NESTING_MAX,
    )


class WorkerHeartbeat(models.Model):
    """When a worker process was last seen, by the database's clock."""

    name = models.CharField(max_length=200, primary_key=True)
    seen_at = models.DateTimeField()
    #: What it was doing, in a few words for the worker panel.
    doing = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return self.name
