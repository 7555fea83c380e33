"""Judges tried on a handful of a project's claims before anybody relies on them. Nothing of it counts anywhere."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from triage.models.projects import Project


class JudgeTrials(models.QuerySet["JudgeTrial"]):
    """Trials by where they were asked for."""

    def newest_of(self, project: Project) -> Self:
        """Return the project's last trials, the newest first."""
        return self.filter(project=project).order_by("-pk")[:5]


class JudgeTrial(models.Model):
    """One or two judges on the same claims and chunks."""

    class State(models.TextChoices):
        """Where the trial is."""

        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="judge_trials")
    #: Names as in the project's order of judges.
    names = models.JSONField(default=list)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    #: Why it failed, in a sentence for people.
    reason = models.TextField(blank=True)
    #: List of {claim, chunk, passage, words: {name: {score, label, error, supports}}}.
    lines = models.JSONField(default=list)
    #: Name -> milliseconds for all lines.
    took_ms = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    objects = JudgeTrials.as_manager()

    def __str__(self) -> str:
        return f"trial of {', '.join(self.names)}"
