"""How far a run is: asked of the rows, never counted in passing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.db.models.functions import Now

from triage.models import Query, Run, Scoring
from triage.pages.words import RUN_BADGES

#: The rate is that of the last minute: what the worker does now, not what it did before a pause.
WINDOW_S = 60


@dataclass(frozen=True, slots=True)
class Progress:
    """Queries scored or set aside, of all; the rate is per second, None while nothing was done in the window."""

    state: str
    done: int
    total: int
    set_aside: int
    per_s: float | None
    left_ms: float | None

    @property
    def share(self) -> float:
        """Return the part that is done, 0 to 1."""
        return self.done / self.total if self.total else 1.0

    @property
    def words(self) -> str:
        """Return the state in a word."""
        return RUN_BADGES[self.state].words

    @property
    def is_moving(self) -> bool:
        """Say whether the page should look again by itself."""
        return self.state in {Run.State.SCORING, Run.State.CLASSIFYING}


def progress_of(run: Run) -> Progress | None:
    """Return how far the run is under its newest panel of judges; None once it is finished."""
    if run.state in {Run.State.DONE, Run.State.CANCELLED}:
        return None
    newest = Scoring.objects.filter(query__run=run).order_by("-pk").values("panel")[:1]
    counts = Scoring.objects.filter(query__run=run, panel=newest).aggregate(
        scored=Count("pk", filter=Q(done_at__isnull=False)),
        set_aside=Count("pk", filter=~Q(quarantined="")),
        lately=Count("pk", filter=Q(done_at__gte=Now() - timedelta(seconds=WINDOW_S))),
    )
    total = Query.objects.filter(run=run).count()
    done = counts["scored"] + counts["set_aside"]
    per_s = counts["lately"] / WINDOW_S if counts["lately"] else None
    left_ms = (total - done) / per_s * 1000 if per_s else None
    return Progress(run.state, done, total, counts["set_aside"], per_s, left_ms)
