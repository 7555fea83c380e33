"""Documents that content owners say they have mended. Append-only: taking it back is noted on the row."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from triage.models import Project, Run


class MendedDocuments(models.QuerySet["MendedDocument"]):
    """Marks by project."""

    def standing(self, project: Project) -> Self:
        """Return the marks nobody took back, the oldest first."""
        return self.filter(project=project, undone_at=None).select_related("by").order_by("pk")


class MendedDocument(models.Model):
    """Somebody mended a document: a run made later that still shows the fault opens it again."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="mended")
    #: superseded or contradicting
    kind = models.CharField(max_length=13)
    #: The document's name in the file, or the chunk's id where the file names no document.
    document = models.TextField()
    #: The run it was seen in.
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    undone_at = models.DateTimeField(null=True)

    objects = MendedDocuments.as_manager()

    class Meta:
        indexes = [models.Index(fields=["project"], condition=models.Q(undone_at=None), name="standing_mended")]

    def __str__(self) -> str:
        return self.document
