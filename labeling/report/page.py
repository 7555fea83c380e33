"""The release note as its page prints it: rows with places of bars, words and tones; nothing is computed after this."""

from __future__ import annotations

from dataclasses import dataclass, replace

from labeling.core.note import Metric, ReleaseNote, SubCause
from labeling.core.paired import Decision
from labeling.core.release_note import CORRECTED, TOTAL, ClassRow, largest_class
from labeling.models import NoteSnapshot
from triage.core.closure import Check
from triage.core.pictures import Axis, Interval, Tick, count_axis, interval, largest
from triage.models import Project, Run

TARGET_TONES = {"met": "ok", "missed": "bad", "not decided": "warn"}
MOST_SUB_CAUSES = 8
DECISION_TONES = {Decision.BETTER: "ok", Decision.WORSE: "bad", Decision.NOT_DECIDED: "open"}


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One row of the class table and its bar."""

    row: ClassRow
    bar: Interval
    why_not_corrected: str
    why_no_previous: str
    why_no_change: str

    @property
    def is_total(self) -> bool:
        """Say whether this is the row of all failing queries."""
        return self.row.label == TOTAL


@dataclass(frozen=True, slots=True)
class MovesLine:
    """One row of the query-by-query table: counts of ids."""

    label: str
    before: int
    left: int
    new: int
    stayed: int
    now: int

    @classmethod
    def of(cls, row: ClassRow) -> MovesLine:
        """Count the ids of a row."""
        moves = row.moves
        left, stayed, new = len(moves.fixed) + len(moves.moved), len(moves.persisting), len(moves.new)
        return cls(row.label, left + stayed, left, new, stayed, new + stayed)


@dataclass(frozen=True, slots=True)
class QualityLine:
    """One metric with its state against the target."""

    metric: Metric
    title: str
    tone: str
    left_out: str
    target_words: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """Everything the report page prints."""

    run: Run
    project: Project
    note: ReleaseNote
    axis: Axis
    lines: tuple[ClassLine, ...]
    largest: ClassRow | None
    moves: tuple[MovesLine, ...]
    moves_total: MovesLine | None
    quality: tuple[QualityLine, ...]
    checks: tuple[Check, ...]
    decision_tone: str
    against: str
    #: Published notes of this run, the newest first; a published note's own page lists none.
    published: tuple[NoteSnapshot, ...] = ()
    formats: tuple[str, ...] = ("md", "csv", "json", "html")

    @property
    def share(self) -> float | None:
        """Return the share of queries that fail; None without queries."""
        people = self.note.population
        return people.failing / people.queries if people.queries else None

    @property
    def sub_causes(self) -> tuple[SubCause, ...]:
        """Return the commonest sub-causes of each class: the sheet stays one printed page."""
        return tuple(sorted(self.note.sub_causes, key=lambda row: -row.confirmed)[:MOST_SUB_CAUSES])

    @property
    def sub_causes_left(self) -> int:
        """Return how many sub-causes the sheet leaves to the files."""
        return max(0, len(self.note.sub_causes) - MOST_SUB_CAUSES)

    @property
    def has_draw(self) -> bool:
        """Say whether the corrected column rests on anything."""
        return self.note.table.share_of == CORRECTED

    @property
    def is_previous_corrected(self) -> bool:
        """Say whether the previous column holds estimates (one decimal) or counts."""
        return self.note.table.previous_of == CORRECTED

    @property
    def among(self) -> int:
        """Return how many queries the sub-causes are extrapolated to; 0 = counted only."""
        return max((row.among for row in self.note.sub_causes), default=0)


def live_page(run: Run, note: ReleaseNote, against: Run | None) -> ReportPage:
    """Return the page of a note as it stands, with what was published of the run."""
    return replace(report_page(run, note, against), published=tuple(NoteSnapshot.objects.of_run(run)))


def report_page(run: Run, note: ReleaseNote, against: Run | None) -> ReportPage:
    """Return the page of a note; `against` is the run a reader chose to compare with."""
    table = note.table
    rows = [row for row in table.all_rows if row.label != TOTAL]
    full = count_axis(largest(value for row in rows for value in (row.automatic, row.corrected, row.high)))
    axis = Axis(full.low, full.high, _few(full.ticks))
    comparable = [MovesLine.of(row) for row in table.rows if row.automatic is not None] if table.previous_of else []
    return ReportPage(
        run=run,
        project=run.project,
        note=note,
        axis=axis,
        lines=tuple(_line(row, axis) for row in table.all_rows),
        largest=largest_class(table),
        moves=tuple(comparable),
        moves_total=MovesLine.of(table.total) if note.paired else None,
        quality=tuple(_quality(metric, note.recall_k) for metric in note.quality),
        checks=note.closure,
        decision_tone=DECISION_TONES[note.paired.decision] if note.paired else "open",
        against=against.key if against else "",
    )


def _few(ticks: tuple[Tick, ...]) -> tuple[Tick, ...]:
    """Return the ends and a tick between: a narrow column has no room for more labels."""
    return (ticks[0], ticks[len(ticks) // 2], ticks[-1]) if len(ticks) > 3 else ticks


def _line(row: ClassRow, axis: Axis) -> ClassLine:
    if row.label == TOTAL:
        bar = interval(axis, None)
    else:
        bar = interval(axis, row.corrected, row.low, row.high, automatic=row.automatic)
    return ClassLine(row, bar, row.state("corrected"), row.state("previous"), row.state("change"))


def _quality(metric: Metric, recall_k: str) -> QualityLine:
    title = f"{metric.title} {recall_k}" if metric.key == "context_recall" else metric.title
    reasons = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in metric.left_out.items())
    words = f"{metric.target:.3f} {metric.against_target}" if metric.target is not None else ""
    return QualityLine(metric, title, TARGET_TONES.get(metric.against_target, ""), reasons, words)
