"""The run page: metrics read together, where the failures are, what the numbers say, whether they close, slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from triage.core.closure import Check, Outcomes
from triage.core.intervals import wilson
from triage.core.labels import DEFAULT_OWNERS, FOUR_CLASSES, NOT_A_FAILURE, UNSCORED
from triage.core.pictures import Axis, Interval, axis, count_axis, interval, largest
from triage.core.policy import DEFAULT_POLICY
from triage.core.review import ReviewState, first_answer
from triage.models import Judge, Query, Run, Suggestion
from triage.models.closing import closure_checks
from triage.models.queries import NOWHERE
from triage.models.slices import SliceRow, slice_keys, slice_rows
from triage.pages.progress import Progress, progress_of
from triage.pages.tiles import TOGETHER, MetricLine, Tile, lines_of, recall_name, summaries_of, targets_of, tile
from triage.pages.words import CHECK_WORDS, READING_WORDS, RUN_BADGES, Badge
from triage.signals import review_wanted

#: Slices under this n are greyed: no comparison rests on them.
FEW = 20
#: Rows of one slice key that a page shows.
MOST_SLICES = 50


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


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One value of the chosen slice key."""

    name: str
    n: int
    failing: int
    accuracy: float | None
    low: float | None
    high: float | None
    bar: Interval
    classes: tuple[tuple[str, int], ...]
    is_few: bool


@dataclass(frozen=True, slots=True)
class SlicePanel:
    """The slices of a run by one key, and the other keys."""

    chosen: str
    keys: tuple[str, ...]
    rows: tuple[SliceLine, ...]
    hidden: int
    total: SliceLine | None
    axis: Axis


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reading or a closure check: a state, and what it says."""

    badge: Badge
    headline: str
    #: (text, is a number)
    parts: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class PositionLine:
    """Failure rate of the queries whose first gold chunk stands in these slots."""

    name: str
    n: int
    failing: int
    rate: float
    low: float
    high: float
    bar: Interval


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything the run page prints."""

    run: Run
    badge: Badge
    is_classified: bool
    is_default_policy: bool
    judges: tuple[str, ...]
    outcomes: Outcomes
    progress: Progress | None
    review: ReviewState
    accuracy: Tile
    together: tuple[Tile, ...]
    others: tuple[Tile, ...]
    lines: tuple[MetricLine, ...]
    class_axis: Axis
    classes: tuple[ClassRow, ...]
    would_be: tuple[WouldBe, ...]
    near: int
    readings: tuple[Spoken, ...]
    checks: tuple[Spoken, ...]
    faults: int
    slices: SlicePanel
    positions: tuple[PositionLine, ...]
    position_axis: Axis


def run_page(run: Run, slice_key: str = "") -> RunPage:
    """Read the page's values: a number of SQL queries that does not depend on the rows."""
    review = first_answer(review_wanted.send(sender=Run, run_id=run.pk), ReviewState) or ReviewState()
    outcomes, summaries, targets = Query.objects.outcomes(run), summaries_of(run), targets_of(run)
    keys = tuple(slice_keys(run))
    chosen = slice_key if slice_key in keys else (keys[0] if keys else "")
    rows = slice_rows(run, chosen) if chosen else []
    checks = closure_checks(run, review, rows)
    class_axis, classes = _classes(run, outcomes, review)
    position_axis, positions = _positions(run)
    names = {"context_recall": recall_name(run)}
    return RunPage(
        run=run,
        badge=RUN_BADGES[run.state],
        is_classified=bool(run.summary),
        is_default_policy=run.policy_fingerprint == DEFAULT_POLICY.fingerprint,
        judges=tuple(Judge.objects.in_run(run).values_list("name", flat=True).distinct().order_by("name")),
        outcomes=outcomes,
        progress=progress_of(run),
        review=review,
        accuracy=tile("accuracy", summaries["accuracy"], targets.get("accuracy")),
        together=tuple(tile(key, summaries[key], targets.get(key), names.get(key, "")) for key in TOGETHER),
        others=tuple(tile(key, summaries[key], targets.get(key)) for key in ("any_unsupported", "answer_relevance")),
        lines=tuple(lines_of(summaries)),
        class_axis=class_axis,
        classes=classes,
        would_be=_would_be(run),
        near=Suggestion.objects.current_in(run).filter(near=True).count(),
        readings=tuple(_reading(told) for told in run.summary.get("readings", ())),
        checks=tuple(_check(check) for check in checks),
        faults=sum(not check.ok for check in checks),
        slices=_slice_panel(chosen, keys, rows, outcomes),
        positions=positions,
        position_axis=position_axis,
    )


def _classes(run: Run, outcomes: Outcomes, review: ReviewState) -> tuple[Axis, tuple[ClassRow, ...]]:
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


def _would_be(run: Run) -> tuple[WouldBe, ...]:
    counts = Suggestion.objects.current_in(run).filter(label=UNSCORED).values_list("would_be").annotate(Count("pk"))
    ordered = sorted(counts, key=lambda pair: -pair[1])
    return tuple(WouldBe(label, label or NOWHERE, count) for label, count in ordered)


def _reading(told: Mapping[str, Any]) -> Spoken:
    parts = tuple((part["text"], part["is_number"]) for part in told["parts"])
    return Spoken(Badge(told["state"], READING_WORDS[told["state"]]), told["headline"], parts)


def _check(check: Check) -> Spoken:
    badge = Badge("ok", CHECK_WORDS[check.check]) if check.ok else Badge("bad", "Fault")
    return Spoken(badge, "" if check.ok else f"{CHECK_WORDS[check.check]}: not so.", ((check.detail, False),))


def _slice_panel(chosen: str, keys: tuple[str, ...], rows: list[SliceRow], whole: Outcomes) -> SlicePanel:
    scale = axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), places=2)
    pooled = whole.correct / whole.decided if whole.decided else None
    lines = [_slice_line(row.name, row.outcomes, row.classes, scale, pooled) for row in rows]
    classes = {str(label): sum(row.classes[label] for row in rows) for label in FOUR_CLASSES}
    total = _slice_line("All", whole, classes, scale, pooled) if rows else None
    return SlicePanel(
        chosen, keys, tuple(lines[:MOST_SLICES]), hidden=max(0, len(lines) - MOST_SLICES), total=total, axis=scale
    )


def _slice_line(
    name: str, outcomes: Outcomes, classes: Mapping[str, int], scale: Axis, pooled: float | None
) -> SliceLine:
    decided = outcomes.decided
    accuracy = outcomes.correct / decided if decided else None
    low, high = wilson(outcomes.correct, decided) if decided else (None, None)
    return SliceLine(
        name=name,
        n=outcomes.queries,
        failing=outcomes.failing,
        accuracy=accuracy,
        low=low,
        high=high,
        bar=interval(scale, accuracy, low, high, target=pooled),
        classes=tuple((str(label), classes[label]) for label in FOUR_CLASSES),
        is_few=outcomes.queries < FEW,
    )


def _positions(run: Run) -> tuple[Axis, tuple[PositionLine, ...]]:
    scale = axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), places=2)
    return scale, tuple(_position(told, scale) for told in run.summary.get("position", ()))


def _position(told: Mapping[str, Any], scale: Axis) -> PositionLine:
    first, last = told["first"], told["last"]
    name = f"slot {first}" if first == last else f"slots {first} to {last}"
    return PositionLine(
        name=name if first else "no gold in the context",
        n=told["n"],
        failing=told["failing"],
        rate=told["rate"],
        low=told["low"],
        high=told["high"],
        bar=interval(scale, told["rate"], told["low"], told["high"]),
    )
