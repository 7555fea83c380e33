"""What is concluded from one pair of runs: metric changes, the isolation test, the padding test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labeling.compare.differences import buried, paired_sums, same_gold
from labeling.core.arms import EVIDENCE_WAS_THERE, GOLD_ONLY, change_of, decision_of
from labeling.core.padding import SHOWN, Padding, padded_arm, refusal, reversed_change
from labeling.core.paired import Change, Decision, share_change
from labeling.models.pairing import CORRECT, PairGroup
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.models import Run


@dataclass(frozen=True, slots=True)
class MetricChange:
    """How one metric changed between paired runs."""

    metric: str
    change: Change
    decision: Decision


@dataclass(frozen=True, slots=True)
class Flip:
    """One query whose answer changed sides."""

    key: str
    position: int


@dataclass(frozen=True, slots=True)
class Isolated:
    """One class of the failing queries, and how many of them the gold alone mends."""

    label: str
    failing: int
    right: int

    @property
    def accuracy_after(self) -> float:
        """Return accuracy with the gold alone; before it is 0 by construction."""
        return self.right / self.failing


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a gold-only arm shows: flips with the evidence in the prompt before were buried, not missing."""

    failing: int
    right_with_gold_only: int
    buried: tuple[Flip, ...]
    by_class: tuple[Isolated, ...]

    @property
    def accuracy_after(self) -> float | None:
        """Return accuracy on the queries that failed before; before it is 0 by construction. None without any."""
        return self.right_with_gold_only / self.failing if self.failing else None


def metric_changes(run: Run, baseline: Run, accuracy: Change | None) -> list[MetricChange]:
    """Return the change of every metric that both runs have, accuracy first."""
    changes = [] if accuracy is None else [MetricChange("accuracy", accuracy, accuracy.decision())]
    paired = paired_sums(run, baseline)
    for metric, sums in paired.metrics.items():
        if (change := change_of(sums)) is not None:
            changes.append(MetricChange(metric, change, decision_of(metric, change)))
    for metric, change in _declining(paired.declined):
        changes.append(MetricChange(metric, change, decision_of(metric, change)))
    return changes


def _declining(cells: Mapping[tuple[bool, bool, bool], int]) -> list[tuple[str, Change]]:
    """Return the changes of answering where nothing can be answered, and of declining where something can."""
    found = []
    for metric, answerable, counted in (("false_answer_rate", False, False), ("over_abstention_rate", True, True)):
        # Whether a pair counts before and now: declined where it should not, or answered where it should not.
        both, old = cells.get((answerable, counted, counted), 0), cells.get((answerable, counted, not counted), 0)
        new = cells.get((answerable, not counted, counted), 0)
        neither = cells.get((answerable, not counted, not counted), 0)
        if both + old + new + neither:
            found.append((metric, share_change(both, old, new, neither)))
    return found


def flips(groups: Sequence[PairGroup], *, to_right: bool) -> tuple[Flip, ...]:
    """Return the queries that turned right, or wrong, in file order."""
    found = [
        Flip(key, position)
        for group in groups
        if group.is_paired and (group.before == CORRECT) != (group.now == CORRECT)
        if (group.now == CORRECT) is to_right
        for key, position in zip(group.ids, group.positions, strict=True)
    ]
    return tuple(sorted(found, key=lambda flip: flip.position))


def isolation(run: Run, baseline: Run, groups: Sequence[PairGroup]) -> Isolation | None:
    """Return the isolation test, where the run was given the gold chunks alone and the baseline was not."""
    if run.config.get("context") != GOLD_ONLY or baseline.config.get("context") == GOLD_ONLY:
        return None
    failing = [group for group in groups if group.is_paired and group.before != CORRECT]
    rows = [_isolated(label, failing) for label in (*map(str, FOUR_CLASSES), UNSCORED)]
    found = buried(run, baseline, EVIDENCE_WAS_THERE)
    return Isolation(
        failing=sum(group.count for group in failing),
        right_with_gold_only=sum(group.count for group in failing if group.now == CORRECT),
        buried=tuple(Flip(key, position) for key, position in found),
        by_class=tuple(row for row in rows if row.failing),
    )


def _isolated(label: str, failing: Sequence[PairGroup]) -> Isolated:
    mine = [group for group in failing if group.before == label]
    right = sum(group.count for group in mine if group.now == CORRECT)
    return Isolated(label, sum(group.count for group in mine), right)


def padding(run: Run, baseline: Run, changes: Sequence[MetricChange]) -> Padding | None:
    """Return the padding test, where exactly one of the two arms is padded; refused where more than that differs."""
    which = padded_arm(baseline.config.get("context"), run.config.get("context"))
    if not which:
        return None
    padded, plain = (run, baseline) if which == "now" else (baseline, run)
    if why := refusal(*same_gold(run, baseline)):
        return Padding(padded.name, plain.name, why)
    told = {row.metric: row.change for row in changes}
    shown = {metric: told[metric] for metric in SHOWN if metric in told}
    if which == "before":
        shown = {metric: reversed_change(change) for metric, change in shown.items()}
    return Padding(padded.name, plain.name, "", tuple(shown.items()))
