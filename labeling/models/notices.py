"""What a project's people have been told is due, by mail or by webhook."""

from __future__ import annotations

from django.db import models

from triage.models import Project


class DueNotice(models.Model):
    """One channel of one project: what was told last. What is new = what is due now, less `known`."""

    class Channel(models.TextChoices):
        """How people are told."""

        MAIL = "mail"
        #: The operator's own, for all projects.
        WEBHOOK = "webhook"
        #: The webhooks that the project's owners added.
        PROJECT = "project"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="due_notices")
    channel = models.CharField(max_length=8, choices=Channel.choices)
    #: Marks of what was told and is still due; something mended and due again is new.
    known = models.JSONField(default=list)
    sent_on = models.DateField(null=True)
    #: Why the newest attempt failed; blank = it did not.
    fault = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "channel"], name="one_notice_per_channel")]

    def __str__(self) -> str:
        return f"{self.channel} of {self.project_id}"
