"""Where the failures are: the machine's count of each class beside what people have read and confirmed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from triage.core.closure import Outcomes
from triage.core.labels import DEFAULT_OWNERS, FOUR_CLASSES, NOT_A_FAILURE, NOT_ESTIMATED, UNSCORED
from triage.core.pictures import Axis, Interval, count_axis, interval, largest
from triage.core.review import Corrected, ReviewState
from triage.models import Run
from triage.models.queries import NOWHERE
from triage.models.scores import FiledAlike

#: Rounding of a sum of shares is far below this; a query that is not estimated is one.
SMALLEST_REST = 1e-6


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class: what the machine says, what people read and confirmed, what that comes to among all failing."""

    label: str
    automatic: int | None
    reviewed: int | None
    confirmed: int | None
    corrected: float | None
    low: float | None
    high: float | None
    #: Of the failing queries: corrected where there is an estimate, else automatic.
    share: float | None
    bar: Interval
    owner: str


@dataclass(frozen=True, slots=True)
class WouldBe:
    """Unscored queries by where they would have gone; `wanted` is the filter's word for it."""

    label: str
    wanted: str
    count: int


def class_rows(
    run: Run, outcomes: Outcomes, review: ReviewState, automatic: dict[str, int]
) -> tuple[Axis, tuple[ClassRow, ...]]:
    """Return the axis of the counts and one row per class, unscored and not_a_failure. `automatic`: by class."""
    estimated = [each.high for each in review.corrected.values()]
    scale = count_axis(largest([*automatic.values(), *review.confirmed.values(), *estimated]))
    owners = {**DEFAULT_OWNERS, **run.project.owners}
    rows = [
        _row(str(label), automatic, outcomes.failing, review, scale, owners.get(label, ""))
        for label in (*FOUR_CLASSES, UNSCORED, NOT_A_FAILURE)
    ]
    return scale, (*rows, *_left_over(outcomes.failing, review, scale))


def _left_over(failing: int, review: ReviewState, scale: Axis) -> tuple[ClassRow, ...]:
    """Return the row of the failures in strata too little read, where there are any: with it the column closes."""
    rest = failing - math.fsum(each.value for each in review.corrected.values())
    if not review.corrected or rest < SMALLEST_REST:
        return ()
    share = rest / failing
    bar = interval(scale, rest, rest, rest)
    return (ClassRow(NOT_ESTIMATED, None, None, None, rest, rest, rest, share, bar, "no one"),)


def _row(label: str, automatic: dict[str, int], failing: int, review: ReviewState, scale: Axis, owner: str) -> ClassRow:
    by_machine = None if label == NOT_A_FAILURE else automatic.get(label, 0)
    confirmed = None if label == UNSCORED else review.confirmed.get(label, 0)
    estimate = review.corrected.get(label)
    counted = (estimate.value if estimate else None) if review.corrected else by_machine
    return ClassRow(
        label=label,
        automatic=by_machine,
        reviewed=None if by_machine is None else review.reviewed.get(label, 0),
        confirmed=confirmed,
        corrected=estimate.value if estimate else None,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        share=counted / failing if counted is not None and failing else None,
        bar=_bar(scale, by_machine, confirmed, review, label),
        owner=owner,
    )


def _bar(scale: Axis, automatic: int | None, confirmed: int | None, review: ReviewState, label: str) -> Interval:
    """Draw the estimate with its interval and the automatic count as a ring; without one, the automatic count."""
    estimate = review.corrected.get(label)
    if estimate:
        return interval(scale, estimate.value, estimate.low, estimate.high, automatic=automatic)
    if review.corrected:
        return interval(scale, None, automatic=automatic)
    return interval(scale, confirmed if review.final else None, 0, automatic)


def would_be(filed: Iterable[FiledAlike]) -> tuple[WouldBe, ...]:
    counts = Counter[str]()
    for each in filed:
        if each.label == UNSCORED:
            counts[each.would_be] += each.count
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    return tuple(WouldBe(label, label or NOWHERE, count) for label, count in ordered)


@dataclass(frozen=True, slots=True)
class Cause:
    """A sub-cause: how many failing queries its facts speak for it, and in how many people found it."""

    label: str
    sub_cause: str
    proposed: int
    confirmed: int
    corrected: Corrected | None


def causes(filed: Iterable[FiledAlike], review: ReviewState) -> tuple[Cause, ...]:
    """Return the sub-causes that people confirmed or the machine proposes, by class in order, the commonest first."""
    proposed = Counter[tuple[str, str]]()
    for each in filed:
        if each.proposed_sub_cause:
            proposed[each.label, each.proposed_sub_cause] += each.count
    people = {(one.label, one.sub_cause): one for one in review.causes}
    found = []
    for label, sub_cause in proposed.keys() | people.keys():
        one = people.get((label, sub_cause))
        confirmed, corrected = (one.confirmed, one.corrected) if one else (0, None)
        found.append(Cause(label, sub_cause, proposed[label, sub_cause], confirmed, corrected))
    order = [str(label) for label in FOUR_CLASSES]
    return tuple(sorted(found, key=lambda one: (order.index(one.label), -one.confirmed, -one.proposed, one.sub_cause)))
