"""A judge compared with people: figures as computed by a worker or a command; pages only read them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Self

from django.db import models

from labeling.core.trust import Trust, trust
from triage.core.judging import Task
from triage.models import Judge, Project

SECONDS_A_DAY = 86_400
CLAIM_SUPPORT, RELEVANCE, CORRECTNESS = "claim_support", "relevance", "correctness"
LABELS, RATINGS = "labels", "ratings"
#: What a judge is compared on: its own task.
KIND_OF = {Task.GROUNDING: CLAIM_SUPPORT, Task.RELEVANCE: RELEVANCE, Task.CORRECTNESS: CORRECTNESS}


class Calibrations(models.QuerySet["Calibration"]):
    """Comparisons by project and judge."""

    def history(self, project: Project, judge: Judge) -> Self:
        """Return the comparisons of a judge on its own task, the newest first."""
        own = self.filter(project=project, judge=judge, kind=KIND_OF[Task(judge.task)])
        return own.order_by("-computed_at", "-pk")

    def newest_of(self, project_id: int, judges: Iterable[int]) -> dict[int, Calibration]:
        """Return the newest comparison of each judge on its own task."""
        rows = self.filter(project=project_id, judge__in=judges).exclude(kind__in=[LABELS, RATINGS])
        return {row.judge_id: row for row in rows.order_by("judge", "-computed_at", "-pk").distinct("judge")}

    def trust_in(self, project_id: int, fingerprint: str, now: datetime) -> Trust:
        """Return whether a judge identity may be relied on in a project: the state its page shows."""
        known = Judge.objects.filter(fingerprint=fingerprint).values_list("pk", flat=True)
        row = next(iter(self.newest_of(project_id, known).values()), None)
        return row.trust(now) if row else Trust.UNCALIBRATED

    def newest_ratings(self, project: Project) -> Self:
        """Return the newest comparison of each score that came with files, by its name."""
        newest = self.filter(project=project, kind=RATINGS).order_by("judge", "-computed_at", "-pk").distinct("judge")
        return self.filter(pk__in=newest.values("pk")).select_related("judge").order_by("judge__name", "judge")


class Calibration(models.Model):
    """One comparison of one judge identity with the human labels of one project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="calibrations")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="calibrations")
    #: claim_support, relevance, correctness, labels or ratings.
    kind = models.CharField(max_length=20)
    n = models.IntegerField()
    #: All figures as printed: each {"value", "low", "high", "n"} or a named state.
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(auto_now_add=True)

    objects = Calibrations.as_manager()

    class Meta:
        indexes = [models.Index(fields=["project", "judge", "kind", "-computed_at"], name="calibration_newest")]

    def __str__(self) -> str:
        return f"{self.kind} of judge {self.judge_id}"

    def trust(self, now: datetime) -> Trust:
        """Return whether the judge may be relied on, by this comparison, at a point in time."""
        age = (now - self.computed_at).total_seconds() / SECONDS_A_DAY
        return trust(self.n, self.figures.get("positives", 0), age)
