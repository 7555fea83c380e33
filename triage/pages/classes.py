"""Where the failures are: the machine's count of each class beside what people have read and confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from triage.core.closure import Outcomes
from triage.core.labels import DEFAULT_OWNERS, FOUR_CLASSES, NOT_A_FAILURE, UNSCORED
from triage.core.pictures import Axis, Interval, count_axis, interval, largest
from triage.core.review import ReviewState
from triage.models import Run, Suggestion
from triage.models.queries import NOWHERE


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class: what the machine says, what people have read of it, what they confirmed."""

    label: str
    automatic: int | None
    reviewed: int | None
    confirmed: int | None
    #: Of the failing queries, by the machine.
    share: float | None
    bar: Interval
    owner: str


@dataclass(frozen=True, slots=True)
class WouldBe:
    """Unscored queries by where they would have gone; `wanted` is the filter's word for it."""

    label: str
    wanted: str
    count: int


def class_rows(run: Run, outcomes: Outcomes, review: ReviewState) -> tuple[Axis, tuple[ClassRow, ...]]:
    automatic = Suggestion.objects.classes(run)
    owners = {**DEFAULT_OWNERS, **run.project.owners}
    scale = count_axis(largest([*automatic.values(), *review.confirmed.values()]))
    rows = []
    for label in (*FOUR_CLASSES, UNSCORED, NOT_A_FAILURE):
        by_machine = None if label == NOT_A_FAILURE else automatic.get(label, 0)
        confirmed = None if label == UNSCORED else review.confirmed.get(label, 0)
        rows.append(
            ClassRow(
                label=str(label),
                automatic=by_machine,
                reviewed=None if by_machine is None else review.reviewed.get(label, 0),
                confirmed=confirmed,
                share=by_machine / outcomes.failing if by_machine is not None and outcomes.failing else None,
                bar=interval(scale, confirmed if review.final else None, 0, by_machine),
                owner=owners.get(label, ""),
            )
        )
    return scale, tuple(rows)


def would_be(run: Run) -> tuple[WouldBe, ...]:
    counts = Suggestion.objects.current_in(run).filter(label=UNSCORED).values_list("would_be").annotate(Count("pk"))
    ordered = sorted(counts, key=lambda pair: -pair[1])
    return tuple(WouldBe(label, label or NOWHERE, count) for label, count in ordered)
