"""A project's own sub-causes. Every change is a new version; verdicts name the version they were given under."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from triage.models import Project


class CodebookVersion(models.Model):
    """The sub-causes a project added to the codebook, as of one version. Rows are never changed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="codebook_versions")
    version = models.IntegerField()
    #: label -> list of {name, definition}: what is offered beside the codebook's own sub-causes.
    sub_causes = models.JSONField(default=dict)
    #: What changed, in a sentence.
    change = models.CharField(max_length=300)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "version"], name="one_codebook_per_version")]

    def __str__(self) -> str:
        return f"codebook {self.version}"
