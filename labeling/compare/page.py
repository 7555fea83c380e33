"""The compare page: one row per run, one panel per run beside the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.compare.arms import LEAST, MOST, Arms, Comparison, Flip, SliceChange, metric_of
from labeling.compare.telling import TABLE, p_words
from labeling.core.paired import Decision
from triage.core.pictures import Axis, Interval, axis, interval
from triage.models import Project, Run

DECISION_TONES = {Decision.BETTER: "ok", Decision.WORSE: "bad", Decision.NOT_DECIDED: "open"}
#: Metrics in units of their own: shown, not drawn on the axis of shares.
AMOUNTS = frozenset({"context_tokens", "latency_ms", "cost", "tokens_per_chunk"})
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
class ComparePage:
    """Everything the page prints."""

    project: Project
    arms: Arms | None
    columns: tuple[str, ...]
    rows: tuple[RunRow, ...]
    signed: Axis
    beside: tuple[Beside, ...]
    choices: tuple[Run, ...]
    chosen: frozenset[str]
    least: int = LEAST
    most: int = MOST


def read_runs(project: Project, keys: Sequence[str]) -> list[Run]:
    """Return the classified runs of the project that the keys name, in their order, each once, at most six."""
    known = {run.key: run for run in project.runs.filter(key__in=keys).exclude(summary={}).select_related("project")}
    return [known[key] for key in dict.fromkeys(keys) if key in known][:MOST]


def compare_page(project: Project, arms: Arms | None, chosen: Sequence[Run]) -> ComparePage:
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
        )
        for place, run in enumerate(runs)
    )
    choices = project.runs.exclude(summary={}).only("key", "name", "release").order_by("pk")[:100]
    return ComparePage(
        project=project,
        arms=arms,
        columns=tuple(words for _, words, _ in columns),
        rows=rows,
        signed=signed,
        beside=tuple(_beside(each, signed) for each in arms.comparisons) if arms else (),
        choices=tuple(choices),
        chosen=frozenset(run.key for run in chosen),
    )


def _beside(each: Comparison, on: Axis) -> Beside:
    lines = tuple(
        ChangeLine(
            name=row.metric.replace("_", " "),
            difference=row.change.difference,
            low=row.change.low,
            high=row.change.high,
            p=p_words(row.change.p),
            n=row.change.n,
            decision=row.decision,
            tone=DECISION_TONES[row.decision],
            is_amount=row.metric in AMOUNTS,
            bar=interval(on, None)
            if row.metric in AMOUNTS
            else interval(on, row.change.difference, row.change.low, row.change.high),
        )
        for row in each.changes
    )
    slices = tuple(_slice_line(row, on) for row in each.slices)
    return Beside(each, lines, p_words(each.mix.p) if each.mix else "", slices)


def _slice_line(row: SliceChange, on: Axis) -> SliceLine:
    bar = interval(on, row.change.difference, row.change.low, row.change.high)
    return SliceLine(row, p_words(row.p), DECISION_TONES[row.decision], bar)
