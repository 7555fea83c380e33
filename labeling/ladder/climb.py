"""The chain read from its rows: the slice of the first run, a metric, and what each run took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Avg, FloatField, QuerySet
from django.db.models.functions import Cast

from labeling.core.ladder import Ladder, Spent, ladder
from triage.core.labels import FOUR_CLASSES
from triage.models import Query, Run

LEAST, MOST = 2, 8
FAILING = "failing"
#: Metric -> where its value stands on a query.
METRICS = {
    "faithfulness": "metrics__faithfulness",
    "answer_relevance": "metrics__answer_relevance",
    "context_recall": "metrics__context_recall",
    "context_precision": "metrics__context_precision",
    "accuracy": "correct",
}


@dataclass(frozen=True, slots=True)
class Climbed:
    """The chain with what it was asked for."""

    runs: tuple[Run, ...]
    repeats: tuple[Run, ...]
    metric: str
    #: As asked: `failing`, a class, or key=value.
    slice: str
    #: Queries of the slice in the first run.
    queries: int
    ladder: Ladder

    @property
    def left_out(self) -> int:
        """Return how many queries of the slice have no value in one of the runs."""
        return self.queries - self.ladder.n


def climb(runs: Sequence[Run], metric: str, slice_: str = FAILING, repeats: Sequence[Run] = ()) -> Climbed:
    """Follow a metric along the runs, over the slice of the first: its failing queries, one class, or key=value.

    `repeats` are further runs with the settings of a run of the chain: they give the noise. Raises ValueError for
    too few or too many runs, other projects, an unknown metric or slice, or a repeat of none of them.
    """
    _check([*runs, *repeats], len(runs), metric)
    wanted = [bytes(key) for key in _slice(runs[0], slice_).values_list("key_hash", flat=True)]
    keys = set(wanted)
    if not keys:
        raise ValueError(f"the first run has no query in the slice {slice_}")
    values = [_values(run, metric, keys) for run in runs]
    more: dict[int, list[Mapping[bytes, float]]] = {}
    for repeat in repeats:
        more.setdefault(_place(repeat, runs), []).append(_values(repeat, metric, keys))
    found = ladder([run.name for run in runs], values, [_spent(run, wanted) for run in runs], more)
    return Climbed(tuple(runs), tuple(repeats), metric, slice_, len(keys), found)


def _check(runs: Sequence[Run], steps: int, metric: str) -> None:
    if not LEAST <= steps <= MOST:
        raise ValueError(f"a ladder takes {LEAST} to {MOST} runs, got {steps}")
    if unclassified := [run.name for run in runs if not run.summary]:
        raise ValueError(f"not classified yet: {', '.join(unclassified)}")
    if len({run.project_id for run in runs}) > 1:
        raise ValueError("runs of different projects cannot be compared")
    if len({run.pk for run in runs}) < len(runs):
        raise ValueError("a run stands twice in the chain or its repeats")
    if metric not in METRICS:
        raise ValueError(f"no ladder of {metric!r}; choose from {', '.join(METRICS)}")


def _slice(run: Run, slice_: str) -> QuerySet[Query]:
    if slice_ == FAILING:
        return run.queries.filter(correct=False)
    if slice_ in FOUR_CLASSES:
        return run.queries.filter(correct=False, suggestions__is_current=True, suggestions__label=slice_)
    key, equals, value = slice_.partition("=")
    if not equals:
        raise ValueError(f"the slice is `failing`, a class, or key=value, found {slice_!r}")
    return run.queries.filter(slices__contains={key: value})


def _values(run: Run, metric: str, keys: set[bytes]) -> dict[bytes, float]:
    column = METRICS[metric]
    rows = run.queries.filter(**{f"{column}__isnull": False}).values_list("key_hash", column)
    return {bytes(key): float(value) for key, value in rows.iterator() if bytes(key) in keys}


def _spent(run: Run, keys: Sequence[bytes]) -> Spent:
    told = run.queries.filter(key_hash__in=keys).aggregate(
        cost=Avg(Cast("cost", FloatField())), latency=Avg("latency_ms")
    )
    return Spent(told["cost"], told["latency"])


def _place(repeat: Run, runs: Sequence[Run]) -> int:
    for place, run in enumerate(runs):
        if run.config == repeat.config and run.pipeline == repeat.pipeline:
            return place
    raise ValueError(f"{repeat.name} repeats no run of the chain: its settings are those of none")
