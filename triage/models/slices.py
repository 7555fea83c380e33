"""A run by the values of one slice key, in one statement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db import connection
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


#: Queries that are alike are put together first: a run has few different slices, whatever its size. A row without a
#: count names a key; the others are of the key asked for, else of the first.
_SLICED = """
WITH alike AS MATERIALIZED (
    SELECT query.slices, query.correct, filed.label, count(*) AS queries
    FROM triage_query AS query
    LEFT JOIN triage_suggestion AS filed ON filed.query_id = query.id AND filed.is_current AND NOT query.correct
    WHERE query.run_id = %(run)s
    GROUP BY 1, 2, 3
), keys AS (SELECT DISTINCT jsonb_object_keys(slices) AS key FROM alike),
chosen AS (SELECT key FROM keys ORDER BY key <> %(asked)s, key COLLATE "C" LIMIT 1)
SELECT key, NULL, NULL, NULL, NULL FROM keys
UNION ALL
SELECT key, slices ->> key, correct, label, sum(queries)::bigint FROM alike CROSS JOIN chosen GROUP BY 1, 2, 3, 4
"""


@dataclass(frozen=True, slots=True)
class Sliced:
    """A run by one of its slice keys."""

    #: All there are, by name.
    keys: tuple[str, ...]
    #: The one that is shown; blank where there is none.
    key: str
    #: One per value of the key, the largest first, the queries without it last.
    rows: list[SliceRow]


def sliced(run: Run, asked: str = "") -> Sliced:
    """Return a run by the slice key asked for, else by its first, and the names of all: one pass over its queries."""
    with connection.cursor() as cursor:
        cursor.execute(_SLICED, {"run": run.pk, "asked": asked})
        found = cursor.fetchall()
    counted: defaultdict[str | None, Counter[bool | str | None]] = defaultdict(Counter)
    for _, value, correct, label, count in found:
        if count is not None:
            counted[value][correct] += count
            counted[value][label or ""] += count
    keys = sorted(key for key, *_, count in found if count is None)
    key = asked if asked in keys else next(iter(keys), "")
    rows = [_row(key, value, counts) for value, counts in counted.items()]
    return Sliced(tuple(keys), key, sorted(rows, key=lambda row: (row.value is None, -row.outcomes.queries, row.name)))


def _row(key: str, value: str | None, counts: Counter[bool | str | None]) -> SliceRow:
    outcomes = Outcomes(counts[False], counts[True], counts[None])
    return SliceRow(key, value, outcomes, {str(label): counts[str(label)] for label in _COUNTED})


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
