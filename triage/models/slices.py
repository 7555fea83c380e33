"""A run by the values of one slice key, in one statement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Count, FilteredRelation, Func, Q, TextField
from django.db.models.fields.json import KeyTextTransform

from triage.core.closure import Outcomes
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.models.queries import WITHOUT_SLICE, Query
from triage.models.runs import Run

_COUNTED = (*FOUR_CLASSES, UNSCORED)


@dataclass(frozen=True, slots=True)
class SliceRow:
    """The queries of a run whose slice `key` has this value."""

    key: str
    #: None: the query does not carry the key.
    value: str | None
    outcomes: Outcomes
    #: automatic label -> failing queries
    classes: dict[str, int]

    @property
    def name(self) -> str:
        """Return the value as it is shown."""
        return WITHOUT_SLICE if self.value is None else self.value


def slice_keys(run: Run) -> list[str]:
    """Return the names of the run's slices, by name."""
    names = Func("slices", function="jsonb_object_keys", output_field=TextField())
    keys = Query.objects.filter(run=run).annotate(slice_key=names).values_list("slice_key", flat=True)
    return sorted(keys.distinct())


def slice_rows(run: Run, key: str) -> list[SliceRow]:
    """Return one row per value of the key, the largest first, the queries without it last."""
    current = FilteredRelation("suggestions", condition=Q(suggestions__is_current=True))
    classes = {f"in_{label}": Count("pk", filter=Q(current__label=label, correct=False)) for label in _COUNTED}
    parts = (
        Query.objects.filter(run=run)
        .annotate(part=KeyTextTransform(key, "slices"), current=current)
        .values("part")
        .annotate(
            failing=Count("pk", filter=Q(correct=False)),
            right=Count("pk", filter=Q(correct=True)),
            undecided=Count("pk", filter=Q(correct__isnull=True)),
            **classes,
        )
    )
    rows = [
        SliceRow(
            key=key,
            value=part["part"],
            outcomes=Outcomes(part["failing"], part["right"], part["undecided"]),
            classes={str(label): part[f"in_{label}"] for label in _COUNTED},
        )
        for part in cast("Iterable[dict[str, Any]]", parts)
    ]
    return sorted(rows, key=lambda row: (row.value is None, -row.outcomes.queries, row.name))


@dataclass(frozen=True, slots=True)
class CrossedRow:
    """The queries of a run that have these two slice values; None: the query does not carry the key."""

    first: str | None
    second: str | None
    outcomes: Outcomes
    #: automatic label -> failing queries
    classes: dict[str, int]


def crossed_rows(run: Run, first: str, second: str) -> list[CrossedRow]:
    """Return one row per pair of values of two slice keys that occurs, in one statement."""
    current = FilteredRelation("suggestions", condition=Q(suggestions__is_current=True))
    classes = {f"in_{label}": Count("pk", filter=Q(current__label=label, correct=False)) for label in _COUNTED}
    parts = (
        Query.objects.filter(run=run)
        .annotate(first=KeyTextTransform(first, "slices"), second=KeyTextTransform(second, "slices"), current=current)
        .values("first", "second")
        .annotate(
            failing=Count("pk", filter=Q(correct=False)),
            right=Count("pk", filter=Q(correct=True)),
            undecided=Count("pk", filter=Q(correct__isnull=True)),
            **classes,
        )
    )
    return [
        CrossedRow(
            first=part["first"],
            second=part["second"],
            outcomes=Outcomes(part["failing"], part["right"], part["undecided"]),
            classes={str(label): part[f"in_{label}"] for label in _COUNTED},
        )
        for part in cast("Iterable[dict[str, Any]]", parts)
    ]
