"""A judge compared with people: figures as computed by a worker or a command; pages only read them."""

from __future__ import annotations

from django.db import models

from triage.models import Judge, Project


class Calibration(models.Model):
    """One comparison of one judge identity with the human labels of one project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="calibrations")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="calibrations")
    #: claim_support, relevance, correctness or labels.
    kind = models.CharField(max_length=20)
    n = models.IntegerField()
    #: All figures as printed: each {"value", "low", "high", "n"} or a named state.
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["project", "judge", "kind", "-computed_at"], name="calibration_newest")]

    def __str__(self) -> str:
        return f"{self.kind} of judge {self.judge_id}"
