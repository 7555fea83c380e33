"""Two to six runs compared with the first of them, query by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labeling.compare.differences import buried, paired_sums
from labeling.compare.explaining import explained
from labeling.core.arms import (
    EVIDENCE_WAS_THERE,
    GOLD_ONLY,
    Setting,
    Truncation,
    change_of,
    credit_warning,
    decision_of,
    settings_that_differ,
    truncation,
)
from labeling.core.explaining import Explained
from labeling.core.paired import Change, Decision, MixTest, holm, share_change, stuart_maxwell
from labeling.models.pairing import CORRECT, PairGroup, judges_of, pair_groups, slice_pairs
from triage.core.closure import Check, tokens_agree
from triage.models import Run
from triage.models.queries import WITHOUT_SLICE
from triage.models.slices import slice_keys

LEAST, MOST = 2, 6
#: Slices with fewer pairs are greyed.
SMALL_SLICE = 20


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
class Isolation:
    """What a gold-only arm shows: flips with the evidence in the prompt before were buried, not missing."""

    failing: int
    right_with_gold_only: int
    buried: tuple[Flip, ...]

    @property
    def accuracy_after(self) -> float | None:
        """Return accuracy on the queries that failed before; before it is 0 by construction. None without any."""
        return self.right_with_gold_only / self.failing if self.failing else None


@dataclass(frozen=True, slots=True)
class SliceChange:
    """How accuracy changed within one slice; `p` is Holm's over all slices of the key."""

    name: str
    change: Change
    p: float
    decision: Decision

    @property
    def is_small(self) -> bool:
        """Say whether the slice holds too few queries to be read alone."""
        return self.change.n < SMALL_SLICE


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run beside the baseline."""

    run: Run
    baseline: Run
    differing: tuple[Setting, ...]
    warning: str
    paired: int
    only_now: int
    only_before: int
    other_question: int
    changes: tuple[MetricChange, ...]
    #: None where the runs were made under other policies or judges.
    mix: MixTest | None
    wrong_to_right: tuple[Flip, ...]
    right_to_wrong: tuple[Flip, ...]
    isolation: Isolation | None
    truncation: Truncation | None
    slices: tuple[SliceChange, ...]
    explained: Explained | None

    @property
    def unpaired(self) -> int:
        """Return how many queries have no partner to compare with."""
        return self.only_now + self.only_before + self.other_question


@dataclass(frozen=True, slots=True)
class Arms:
    """All runs of a comparison, the first being the baseline."""

    runs: tuple[Run, ...]
    differing: tuple[Setting, ...]
    comparisons: tuple[Comparison, ...]
    tokens: Check
    #: The slice key shown, and those there are.
    slice_key: str
    slice_keys: tuple[str, ...]

    @property
    def last(self) -> Comparison:
        """Return the last run beside the baseline."""
        return self.comparisons[-1]


def compare(runs: Sequence[Run], slice_key: str = "") -> Arms:
    """Compare classified runs of one project with the first, by the slice key asked for or the first there is.

    Raises ValueError unless 2 to 6 classified runs of one project are given.
    """
    if not LEAST <= len(runs) <= MOST:
        raise ValueError(f"compare takes {LEAST} to {MOST} runs, got {len(runs)}")
    if unclassified := [run.name for run in runs if not run.summary]:
        raise ValueError(f"not classified yet: {', '.join(unclassified)}")
    if len({run.project_id for run in runs}) > 1:
        raise ValueError("runs of different projects cannot be compared")
    baseline, *others = runs
    keys = slice_keys(baseline)
    key = slice_key if slice_key in keys else next(iter(keys), "")
    told = ((run.name, metric_of(run, "tokens_per_chunk")) for run in runs)
    return Arms(
        runs=tuple(runs),
        differing=settings_that_differ([_settings(run) for run in runs]),
        comparisons=tuple(_beside(run, baseline, key) for run in others),
        tokens=tokens_agree([(name, value) for name, value in told if value is not None]),
        slice_key=key,
        slice_keys=tuple(keys),
    )


def metric_of(run: Run, metric: str) -> float | None:
    """Return a run-level value as last measured."""
    value: float | None = run.summary.get("metrics", {}).get(metric, {}).get("value")
    return value


def _settings(run: Run) -> dict[str, Any]:
    """Return the settings of a run, and who says which of its answers are correct: accuracy hangs on both."""
    return {**run.config, "correctness": run.correct_by_words}


def _beside(run: Run, baseline: Run, slice_key: str) -> Comparison:
    groups = list(pair_groups(run, baseline))
    differing = settings_that_differ([_settings(baseline), _settings(run)])
    shared = sum(len(group.ids) for group in groups)
    accuracy, mix = _decided(groups)
    changes = [] if accuracy is None else [MetricChange("accuracy", accuracy, accuracy.decision())]
    for metric, sums in paired_sums(run, baseline).items():
        if (change := change_of(sums)) is not None:
            changes.append(MetricChange(metric, change, decision_of(metric, change)))
    precisions = (metric_of(baseline, "context_precision"), metric_of(run, "context_precision"))
    return Comparison(
        run=run,
        baseline=baseline,
        differing=differing,
        warning=credit_warning(differing),
        paired=sum(len(group.ids) for group in groups if group.is_paired),
        only_now=run.queries.count() - shared,
        only_before=baseline.queries.count() - shared,
        other_question=sum(len(group.ids) for group in groups if not group.same_question),
        changes=tuple(changes),
        mix=mix if _same_basis(run, baseline) else None,
        wrong_to_right=_flips(groups, to_right=True),
        right_to_wrong=_flips(groups, to_right=False),
        isolation=_isolation(run, baseline, groups),
        truncation=truncation(differing, (baseline.config.get("k"), run.config.get("k")), precisions),
        slices=_slices(run, baseline, slice_key),
        explained=explained(run, baseline),
    )


def _slices(run: Run, baseline: Run, key: str) -> tuple[SliceChange, ...]:
    """Return accuracy by slice, the slice that explains most of the difference first."""
    if not key:
        return ()
    rows = [(value, share_change(*cells)) for value, cells in slice_pairs(run, baseline, key)]
    adjusted = holm([change.p for _, change in rows])
    found = [
        SliceChange(WITHOUT_SLICE if value is None else value, change, p, change.decision(p=p))
        for (value, change), p in zip(rows, adjusted, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-abs(one.change.difference * one.change.n), one.name)))


def _same_basis(run: Run, baseline: Run) -> bool:
    same_judges = judges_of(run) == judges_of(baseline)
    return run.policy_fingerprint == baseline.policy_fingerprint and same_judges


def _decided(groups: Sequence[PairGroup]) -> tuple[Change | None, MixTest | None]:
    """Return the change of accuracy and of the class mix over the decided pairs."""
    cells, moves = Counter[tuple[bool, bool]](), Counter[tuple[str, str]]()
    for group in groups:
        if group.is_paired and group.before is not None and group.now is not None:
            cells[group.before == CORRECT, group.now == CORRECT] += len(group.ids)
            moves[group.before, group.now] += len(group.ids)
    if not cells:
        return None, None
    counts = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    return share_change(*counts), stuart_maxwell(moves)


def _flips(groups: Sequence[PairGroup], *, to_right: bool) -> tuple[Flip, ...]:
    flips = [
        Flip(key, position)
        for group in groups
        if group.is_paired and (group.before == CORRECT) != (group.now == CORRECT)
        if (group.now == CORRECT) is to_right
        for key, position in zip(group.ids, group.positions, strict=True)
    ]
    return tuple(sorted(flips, key=lambda flip: flip.position))


def _isolation(run: Run, baseline: Run, groups: Sequence[PairGroup]) -> Isolation | None:
    """Return the isolation test, where the run was given the gold chunks alone and the baseline was not."""
    if run.config.get("context") != GOLD_ONLY or baseline.config.get("context") == GOLD_ONLY:
        return None
    failing = sum(len(group.ids) for group in groups if group.is_paired and group.before != CORRECT)
    right = len(_flips(groups, to_right=True))
    found = buried(run, baseline, EVIDENCE_WAS_THERE)
    return Isolation(failing, right, tuple(Flip(key, position) for key, position in found))
