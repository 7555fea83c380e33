"""The release table: rows of classes with what the machine counted, what people found, and what that makes of N.

Pure data from plain counts (formats.md section 3). Who owns a class, what the previous release had and whether it
may be compared are told; nothing here looks anything up. Light: web processes may import it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labeling.core.correction import Correction, Estimate
from triage.core.labels import (
    DEFAULT_OWNERS,
    FOUR_CLASSES,
    MISSED_FAILURE,
    NOT_A_FAILURE,
    NOT_ESTIMATED,
    UNSCORED,
)

CORRECTED, AUTOMATIC = "corrected", "automatic"
TOTAL = "total"
#: Named states of a cell without a value.
NOT_APPLICABLE = "n/a"
NO_DRAW = "no draw"
NOT_AUDITED = "not audited"
NOT_COMPARABLE = "not comparable"
NO_PREVIOUS = "no previous"


@dataclass(frozen=True, slots=True)
class Counts:
    """What the failing queries of one run come to, and what is known of its passing ones."""

    failing: int
    #: Automatic label -> queries; the four classes and `unscored`.
    automatic: Mapping[str, int]
    #: Final verdicts among the queries of an automatic label.
    reviewed: Mapping[str, int]
    #: Final verdicts of each label among the failing queries.
    confirmed: Mapping[str, int]
    #: None where no unfiltered random draw was read.
    correction: Correction | None
    #: Passing queries with a final verdict, and how many of those were wrong after all.
    audited: int = 0
    missed: int = 0
    missed_correction: Correction | None = None


@dataclass(frozen=True, slots=True)
class Moves:
    """Query ids of one class, paired with the previous release by id and question."""

    fixed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    persisting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One row. A value that does not exist is None; `states` says why, by the column's name."""

    label: str
    automatic: int | None = None
    reviewed: int | None = None
    confirmed: int | None = None
    corrected: float | None = None
    low: float | None = None
    high: float | None = None
    share: float | None = None
    previous: float | None = None
    change: float | None = None
    owner: str = ""
    is_outside: bool = False
    states: Mapping[str, str] = field(default_factory=dict)
    moves: Moves = Moves()

    def state(self, column: str) -> str:
        """Return why this column has no value."""
        return self.states.get(column, NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class ClassTable:
    """All rows in their fixed order, the total after them, and what the shares are of."""

    rows: tuple[ClassRow, ...]
    total: ClassRow
    outside: ClassRow
    share_of: str
    #: Which column `previous` and `change` compare; blank where there is nothing to compare.
    previous_of: str

    @property
    def all_rows(self) -> tuple[ClassRow, ...]:
        """Return every row from top to bottom."""
        return (*self.rows, self.total, self.outside)


def class_table(
    now: Counts,
    before: Counts | None,
    owners: Mapping[str, str],
    *,
    comparable: bool = True,
    moves: Mapping[str, Moves] | None = None,
) -> ClassTable:
    """Return the release table. `before` None = no previous release; not `comparable` = other policy or judges."""
    share_of = CORRECTED if now.correction else AUTOMATIC
    previous_of = _basis(now, before) if before and comparable else ""
    builder = _Builder(now, before, owners, share_of, previous_of, moves or {})
    labels: list[str] = [*FOUR_CLASSES, UNSCORED, NOT_A_FAILURE]
    if now.correction and now.correction.not_estimated:
        labels.append(NOT_ESTIMATED)
    rows = tuple(builder.row(label) for label in labels)
    return ClassTable(rows, builder.total(), builder.outside(), share_of, previous_of)


def _basis(now: Counts, before: Counts) -> str:
    return CORRECTED if now.correction and before.correction else AUTOMATIC


def owner_of(label: str, owners: Mapping[str, str], sub_cause: str = "") -> str:
    """Return who the work of a class, or of a (class, sub-cause), belongs to: the project's word, else the default."""
    by_sub_cause = owners.get(f"{label}/{sub_cause}", "") if sub_cause else ""
    return by_sub_cause or owners.get(label, "") or DEFAULT_OWNERS.get(label, "")


@dataclass(frozen=True, slots=True)
class _Builder:
    now: Counts
    before: Counts | None
    owners: Mapping[str, str]
    share_of: str
    previous_of: str
    moves: Mapping[str, Moves]

    def row(self, label: str) -> ClassRow:
        states: dict[str, str] = {}
        said_by_machine = label in (*FOUR_CLASSES, UNSCORED)
        said_by_people = label in (*FOUR_CLASSES, NOT_A_FAILURE)
        estimate = self._estimate(self.now, label)
        if estimate is None and said_by_people:
            states = dict.fromkeys(("corrected", "interval"), NO_DRAW)
        share, previous = self._share(self.now, label, self.share_of), self._previous(label, states)
        return ClassRow(
            label=label,
            automatic=self.now.automatic.get(label, 0) if said_by_machine else None,
            reviewed=self.now.reviewed.get(label, 0) if said_by_machine else None,
            confirmed=self.now.confirmed.get(label, 0) if said_by_people else None,
            corrected=estimate.value if estimate else self._left_over(label),
            low=estimate.low if estimate else None,
            high=estimate.high if estimate else None,
            share=share,
            previous=previous,
            change=self._change(label),
            owner=owner_of(label, self.owners),
            states=states,
            moves=self.moves.get(label, Moves()),
        )

    def _estimate(self, counts: Counts, label: str) -> Estimate | None:
        return counts.correction.estimates.get(label) if counts.correction else None

    def _left_over(self, label: str) -> float | None:
        if label != NOT_ESTIMATED or self.now.correction is None:
            return None
        return float(self.now.correction.not_estimated)

    def _value(self, counts: Counts, label: str, basis: str) -> float | None:
        if basis == AUTOMATIC:
            return counts.automatic.get(label, 0) if label in (*FOUR_CLASSES, UNSCORED) else None
        if label == NOT_ESTIMATED:
            return counts.correction.not_estimated if counts.correction else None
        estimate = self._estimate(counts, label)
        return estimate.value if estimate else None

    def _share(self, counts: Counts, label: str, basis: str) -> float | None:
        value = self._value(counts, label, basis)
        return value / counts.failing if value is not None and counts.failing else None

    def _previous(self, label: str, states: dict[str, str]) -> float | None:
        if self.before is None or not self.previous_of:
            states.update(dict.fromkeys(("previous", "change"), self._why_no_previous()))
            return None
        return self._value(self.before, label, self.previous_of)

    def _why_no_previous(self) -> str:
        return NO_PREVIOUS if self.before is None else NOT_COMPARABLE

    def _change(self, label: str) -> float | None:
        if self.before is None or not self.previous_of:
            return None
        now, before = (self._share(counts, label, self.previous_of) for counts in (self.now, self.before))
        return None if now is None or before is None else now - before

    def total(self) -> ClassRow:
        corrected = float(self.now.failing) if self.now.correction else None
        states = {} if self.now.correction else {"corrected": NO_DRAW}
        if self.before is None:
            states["previous"] = NO_PREVIOUS
        return ClassRow(
            label=TOTAL,
            automatic=self.now.failing,
            reviewed=sum(self.now.reviewed.values()),
            confirmed=sum(self.now.confirmed.values()),
            corrected=corrected,
            share=1.0 if self.now.failing else None,
            previous=float(self.before.failing) if self.before else None,
            states=states,
            moves=self.moves.get(TOTAL, Moves()),
        )

    def outside(self) -> ClassRow:
        """Passing queries that were wrong: outside N, with an interval of their own, or not audited."""
        missed, earlier = self._missed(self.now), self._missed(self.before) if self.before else None
        previous = NO_PREVIOUS if self.before is None else NOT_AUDITED
        return ClassRow(
            label=MISSED_FAILURE,
            reviewed=self.now.audited,
            confirmed=self.now.missed,
            corrected=missed.value if missed else None,
            low=missed.low if missed else None,
            high=missed.high if missed else None,
            previous=earlier.value if earlier else None,
            owner=owner_of(MISSED_FAILURE, self.owners),
            is_outside=True,
            states={"corrected": NOT_AUDITED, "interval": NOT_AUDITED, "previous": previous},
        )

    def _missed(self, counts: Counts) -> Estimate | None:
        return counts.missed_correction.estimates.get(MISSED_FAILURE) if counts.missed_correction else None


def largest_class(table: ClassTable) -> ClassRow | None:
    """Return the class with the highest share, the first of equals; None where nothing fails."""
    shared: Sequence[ClassRow] = [row for row in table.rows if row.label in FOUR_CLASSES and row.share]
    return max(shared, key=lambda row: row.share or 0.0, default=None)
