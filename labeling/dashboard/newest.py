"""The newest release at a glance, and what changed since the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labeling.core.paired import Change, Decision
from labeling.report import Standing, compare_with, previous_of, standings
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.pictures import Axis, Interval, count_axis, interval, largest
from triage.models import Project, Run
from triage.pages.tiles import TOGETHER, Tile, recall_name, summaries_of, targets_of, tile

TONES = {Decision.BETTER: "ok", Decision.WORSE: "bad", Decision.NOT_DECIDED: "open"}


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One class of the newest release: the machine's count, people's correction where there is one, and the change."""

    label: str
    automatic: int
    corrected: float | None
    low: float | None
    high: float | None
    #: Of the failing queries; corrected where there is an estimate, else automatic.
    share: float | None
    bar: Interval
    #: Queries of both releases that left the class and that came into it; None where classes are not comparable.
    left: int | None
    came: int | None


@dataclass(frozen=True, slots=True)
class Before:
    """The release before, and how accuracy changed on the queries both have."""

    run: Run
    name: str
    change: Change | None
    tone: str
    words: str
    why_not_comparable: str


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest classified run, as the page shows it."""

    run: Run
    name: str
    stand: Standing
    axis: Axis
    classes: tuple[ClassLine, ...]
    accuracy: Tile
    together: tuple[Tile, ...]
    others: tuple[Tile, ...]
    before: Before | None

    @property
    def is_corrected(self) -> bool:
        """Say whether people's reading of a random draw corrects the counts."""
        return bool(self.stand.corrected)

    @property
    def left_to_read(self) -> int:
        """Return the failing queries without a final verdict."""
        return self.stand.failing - self.stand.reviewed


def newest(project: Project) -> Newest | None:
    """Return the newest classified run; None before the first."""
    run = project.runs.exclude(summary={}).select_related("project").order_by("-pk").first()
    if run is None:
        return None
    stand = standings([run])[run.pk]
    before, moves = _before(run)
    ends = [one.high for one in stand.corrected.values()]
    axis = count_axis(largest([*stand.automatic.values(), *ends]))
    summaries, targets = summaries_of(run), targets_of(run)
    names = {"context_recall": recall_name(run)}
    return Newest(
        run=run,
        name=run.release or run.name,
        stand=stand,
        axis=axis,
        classes=tuple(_line(str(label), stand, axis, moves) for label in (*FOUR_CLASSES, UNSCORED)),
        accuracy=tile("accuracy", summaries["accuracy"], targets.get("accuracy")),
        together=tuple(tile(key, summaries[key], targets.get(key), names.get(key, "")) for key in TOGETHER),
        others=tuple(tile(key, summaries[key], targets.get(key)) for key in ("any_unsupported", "answer_relevance")),
        before=before,
    )


def _line(label: str, stand: Standing, axis: Axis, moves: Mapping[str, tuple[int, int]] | None) -> ClassLine:
    automatic, made = stand.automatic[label], stand.corrected.get(label)
    counted = made.value if made else (None if stand.corrected else automatic)
    bar = (
        interval(axis, made.value, made.low, made.high, automatic=automatic) if made else _bare(axis, stand, automatic)
    )
    left, came = moves.get(label, (0, 0)) if moves is not None else (None, None)
    return ClassLine(
        label=label,
        automatic=automatic,
        corrected=made.value if made else None,
        low=made.low if made else None,
        high=made.high if made else None,
        share=counted / stand.failing if counted is not None and stand.failing else None,
        bar=bar,
        left=left,
        came=came,
    )


def _bare(axis: Axis, stand: Standing, automatic: int) -> Interval:
    """Draw the machine's count: a band from 0, or a ring where other classes of the run are corrected."""
    return interval(axis, None, automatic=automatic) if stand.corrected else interval(axis, None, 0, automatic)


def _before(run: Run) -> tuple[Before | None, dict[str, tuple[int, int]] | None]:
    """Return the release before with the change of accuracy, and class -> (left, came) where it is comparable."""
    previous = previous_of(run)
    if previous is None:
        return None, None
    found = compare_with(run, previous)
    change, why = found.paired.accuracy, found.why_not_comparable
    decision = change.decision() if change else Decision.NOT_DECIDED
    before = Before(previous, previous.release or previous.name, change, TONES[decision], str(decision), why)
    if why:
        return before, None
    moves = {label: (len(one.fixed) + len(one.moved), len(one.new)) for label, one in found.moves.items()}
    return before, moves
