"""The compare page: one row per run, one panel per run beside the first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import BadRequest

from labeling.compare.arms import LEAST, MOST, Arms, Comparison, SliceChange, metric_of
from labeling.compare.telling import AMOUNTS, TABLE, cost_words, places_of
from labeling.compare.verdicts import Flip, MetricChange
from labeling.core.paired import Decision
from labeling.core.pinning import PINNED, Pin, pinning_words
from labeling.core.tables import p_words
from triage.core.pictures import Axis, Interval, axis, interval
from triage.models import Project, Run

DECISION_TONES = {Decision.BETTER: "ok", Decision.WORSE: "bad", Decision.NOT_DECIDED: "open"}
#: Queries listed of each kind; `compare --json` lists them all.
SHOWN_FLIPS = 100


@dataclass(frozen=True, slots=True)
class ValueCell:
    """One run-level value; `places` is how many decimals it has."""

    value: float | None
    places: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of the table."""

    run: Run
    is_baseline: bool
    k: str
    cells: tuple[ValueCell, ...]
    cost: str
    is_cost_from_file: bool


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One metric's change with its bar, if it is a share."""

    name: str
    difference: float
    low: float | None
    high: float | None
    p: str
    n: int
    decision: Decision
    tone: str
    is_amount: bool
    #: Decimals of the change and its ends.
    places: int
    bar: Interval


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One slice's change of accuracy."""

    row: SliceChange
    p: str
    tone: str
    bar: Interval


@dataclass(frozen=True, slots=True)
class Beside:
    """One run beside the baseline, as it is printed."""

    comparison: Comparison
    lines: tuple[ChangeLine, ...]
    mix_p: str
    slices: tuple[SliceLine, ...]
    padding: tuple[ChangeLine, ...]

    @property
    def wrong_to_right(self) -> Listed:
        """Return the queries that turned right."""
        return Listed.of(self.comparison.wrong_to_right)

    @property
    def right_to_wrong(self) -> Listed:
        """Return the queries that turned wrong."""
        return Listed.of(self.comparison.right_to_wrong)

    @property
    def buried(self) -> Listed:
        """Return the queries whose evidence was buried."""
        return Listed.of(self.comparison.isolation.buried if self.comparison.isolation else ())


@dataclass(frozen=True, slots=True)
class Listed:
    """The first queries of a list, and how many there are beyond."""

    shown: tuple[Flip, ...]
    left: int

    @classmethod
    def of(cls, flips: tuple[Flip, ...]) -> Listed:
        """Cut a list to what a page shows."""
        return cls(flips[:SHOWN_FLIPS], max(0, len(flips) - SHOWN_FLIPS))


@dataclass(frozen=True, slots=True)
class PinLine:
    """One production figure beside the baseline's own."""

    name: str
    pin: Pin
    places: int
    tone: str
    words: str


@dataclass(frozen=True, slots=True)
class ComparePage:
    """Everything the page prints."""

    project: Project
    arms: Arms | None
    columns: tuple[str, ...]
    rows: tuple[RunRow, ...]
    signed: Axis
    beside: tuple[Beside, ...]
    pins: tuple[PinLine, ...]
    pinning: str
    #: Fields of the form: metric, its words, what was typed.
    production: tuple[tuple[str, str, str], ...]
    choices: tuple[Run, ...]
    chosen: frozenset[str]
    least: int = LEAST
    most: int = MOST


def read_runs(project: Project, keys: Sequence[str]) -> list[Run]:
    """Return the classified runs of the project that the keys name, in their order, each once, at most six."""
    known = {run.key: run for run in project.runs.filter(key__in=keys).exclude(summary={}).select_related("project")}
    return [known[key] for key in dict.fromkeys(keys) if key in known][:MOST]


def read_production(told: Mapping[str, str]) -> dict[str, float]:
    """Read production figures by metric; blank fields are none. Raises BadRequest for what is no number."""
    try:
        found = {metric: float(told[metric]) for metric in PINNED if told.get(metric, "").strip()}
    except ValueError as fault:
        raise BadRequest("A production figure is a number, such as 0.94.") from fault
    if not all(map(math.isfinite, found.values())):
        raise BadRequest("A production figure is a number, such as 0.94.")
    return found


def compare_page(
    project: Project, arms: Arms | None, chosen: Sequence[Run], production: Mapping[str, str] | None = None
) -> ComparePage:
    """Return the page; `arms` None = fewer than two runs are chosen yet."""
    signed = axis(-1.0, 1.0, (-1.0, -0.5, 0.0, 0.5, 1.0), places=1)
    runs = arms.runs if arms else ()
    columns = [row for row in TABLE if any(metric_of(run, row[0]) is not None for run in runs)]
    rows = tuple(
        RunRow(
            run,
            place == 0,
            str(run.config.get("k", "not said")),
            tuple(ValueCell(metric_of(run, key), places) for key, _, places in columns),
            cost_words(cost),
            is_cost_from_file=cost is not None and cost.is_from_file,
        )
        for place, (run, cost) in enumerate(zip(runs, arms.costs if arms else (), strict=True))
    )
    choices = project.runs.exclude(summary={}).only("key", "name", "release").order_by("pk")[:100]
    return ComparePage(
        project=project,
        arms=arms,
        columns=tuple(words for _, words, _ in columns),
        rows=rows,
        signed=signed,
        beside=tuple(_beside(each, signed) for each in arms.comparisons) if arms else (),
        pins=tuple(_pin(pin) for pin in arms.pins) if arms else (),
        pinning=pinning_words(arms.pins, arms.runs[0].name) if arms else "",
        production=tuple((key, words, (production or {}).get(key, "")) for key, words in PINNED.items()),
        choices=tuple(choices),
        chosen=frozenset(run.key for run in chosen),
    )


def _beside(each: Comparison, on: Axis) -> Beside:
    lines = tuple(_change_line(row, on) for row in each.changes)
    slices = tuple(_slice_line(row, on) for row in each.slices)
    padding = tuple(
        _change_line(MetricChange(metric, change, change.decision()), on)
        for metric, change in (each.padding.changes if each.padding else ())
    )
    return Beside(each, lines, p_words(each.mix.p) if each.mix else "", slices, padding)


def _change_line(row: MetricChange, on: Axis) -> ChangeLine:
    change, is_amount = row.change, row.metric in AMOUNTS
    bar = interval(on, None) if is_amount else interval(on, change.difference, change.low, change.high)
    return ChangeLine(
        name=row.metric.replace("_", " "),
        difference=change.difference,
        low=change.low,
        high=change.high,
        p=p_words(change.p),
        n=change.n,
        decision=row.decision,
        tone=DECISION_TONES[row.decision],
        is_amount=is_amount,
        places=places_of(row),
        bar=bar,
    )


def _pin(pin: Pin) -> PinLine:
    tone, words = {True: ("ok", "agrees"), False: ("bad", "differs"), None: ("open", "no value")}[pin.agrees]
    places = next((places for key, _, places in TABLE if key == pin.metric), 3)
    return PinLine(PINNED[pin.metric], pin, places, tone, words)


def _slice_line(row: SliceChange, on: Axis) -> SliceLine:
    bar = interval(on, row.change.difference, row.change.low, row.change.high)
    return SliceLine(row, p_words(row.p), DECISION_TONES[row.decision], bar)
