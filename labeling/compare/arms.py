"""Two to six runs compared with the first of them, query by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.compare.differences import alone, costs
from labeling.compare.explaining import SlicePairs, slice_pairs
from labeling.compare.verdicts import Flip, Isolation, MetricChange, flips, isolation, metric_changes, padding
from labeling.core.arms import Setting, Truncation, credit_warning, settings_that_differ, truncation
from labeling.core.explaining import Explained, explains_most
from labeling.core.padding import Padding
from labeling.core.paired import Change, Decision, MixTest, holm, share_change, stuart_maxwell
from labeling.core.pinning import Pin, pins
from labeling.models.pairing import CORRECT, PairGroup, judges_of, pair_groups
from triage.core.closure import Check, tokens_agree
from triage.models import Run
from triage.models.queries import WITHOUT_SLICE
from triage.models.slices import slice_keys

LEAST, MOST = 2, 6
#: Queries without a partner that are listed of each run.
MOST_ALONE = 100
#: Slices with fewer pairs are greyed.
SMALL_SLICE = 20


@dataclass(frozen=True, slots=True)
class SliceChange:
    """How accuracy changed within one slice; `p` is Holm's over all slices of the key."""

    name: str
    change: Change
    p: float
    decision: Decision
    #: Accuracy in each run over the same pairs.
    before: float
    after: float
    #: Pairs that failed before (accuracy 0 there by construction), and how many of them are right now.
    failing_before: int
    mended: int

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
    #: The first queries without a partner, of this run and of the baseline.
    alone_now: tuple[Flip, ...]
    alone_before: tuple[Flip, ...]
    isolation: Isolation | None
    padding: Padding | None
    truncation: Truncation | None
    slices: tuple[SliceChange, ...]
    explained: Explained | None

    @property
    def unpaired(self) -> int:
        """Return how many queries have no partner to compare with."""
        return self.only_now + self.only_before + self.other_question


@dataclass(frozen=True, slots=True)
class Cost:
    """What 1,000 queries of a run cost: as the file says, else the context tokens at the run's input price."""

    of_1000: float
    currency: str
    is_from_file: bool
    n: int


@dataclass(frozen=True, slots=True)
class Arms:
    """All runs of a comparison, the first being the baseline."""

    runs: tuple[Run, ...]
    differing: tuple[Setting, ...]
    comparisons: tuple[Comparison, ...]
    tokens: Check
    #: Of each run: what 1,000 queries cost; None where neither the file nor a price says it.
    costs: tuple[Cost | None, ...]
    #: The baseline beside production figures, if any were given.
    pins: tuple[Pin, ...]
    #: The slice key shown, and those there are.
    slice_key: str
    slice_keys: tuple[str, ...]

    @property
    def last(self) -> Comparison:
        """Return the last run beside the baseline."""
        return self.comparisons[-1]


def compare(runs: Sequence[Run], slice_key: str = "", production: Mapping[str, float] | None = None) -> Arms:
    """Compare classified runs of one project with the first, by the slice key asked for or the first there is.

    `production`: figures read off a dashboard, by metric; the first run is pinned to them. Raises ValueError unless
    2 to 6 classified runs of one project are given, and for a metric that nothing can be pinned on.
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
        costs=_costs(runs),
        pins=pins(baseline.summary.get("metrics", {}), production or {}),
        slice_key=key,
        slice_keys=tuple(keys),
    )


def _costs(runs: Sequence[Run]) -> tuple[Cost | None, ...]:
    said = costs(runs)
    return tuple(_cost(run, *said.get(run.pk, (None, 0))) for run in runs)


def _cost(run: Run, mean: float | None, n: int) -> Cost | None:
    currency = str(run.prices.get("currency") or "")
    if mean is not None:
        return Cost(1000 * mean, currency, is_from_file=True, n=n)
    tokens = run.summary.get("metrics", {}).get("context_tokens", {})
    price = run.prices.get("input_per_million")
    if tokens.get("value") is None or not isinstance(price, int | float):
        return None
    return Cost(tokens["value"] * price / 1000, currency, is_from_file=False, n=tokens["n"])


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
    shared = sum(group.count for group in groups)
    accuracy, mix = _decided(groups)
    changes = metric_changes(run, baseline, accuracy)
    slices = slice_pairs(run, baseline, slice_key)
    only_now, only_before = run.queries.count() - shared, baseline.queries.count() - shared
    other_question = sum(group.count for group in groups if not group.same_question)
    precisions = (metric_of(baseline, "context_precision"), metric_of(run, "context_precision"))
    return Comparison(
        run=run,
        baseline=baseline,
        differing=differing,
        warning=credit_warning(differing),
        paired=sum(group.count for group in groups if group.is_paired),
        only_now=only_now,
        only_before=only_before,
        other_question=other_question,
        changes=tuple(changes),
        mix=mix if _same_basis(run, baseline) else None,
        wrong_to_right=flips(groups, to_right=True),
        right_to_wrong=flips(groups, to_right=False),
        alone_now=_alone(run, baseline) if only_now + other_question else (),
        alone_before=_alone(baseline, run) if only_before + other_question else (),
        isolation=isolation(run, baseline, groups),
        padding=padding(run, baseline, changes),
        truncation=truncation(differing, (baseline.config.get("k"), run.config.get("k")), precisions),
        slices=_slices(slices, slice_key),
        explained=explains_most(slices),
    )


def _alone(run: Run, other: Run) -> tuple[Flip, ...]:
    return tuple(Flip(key, position) for key, position in alone(run, other, MOST_ALONE))


def _slices(slices: SlicePairs, key: str) -> tuple[SliceChange, ...]:
    """Return accuracy by the slices of a key, the slice that explains most of the difference first."""
    rows = [(value, cells, share_change(*cells)) for value, cells in slices.get(key, ())]
    adjusted = holm([change.p for _, _, change in rows])
    found = [_slice(value, cells, change, p) for (value, cells, change), p in zip(rows, adjusted, strict=True)]
    return tuple(sorted(found, key=lambda one: (-abs(one.change.difference * one.change.n), one.name)))


def _slice(value: str | None, cells: tuple[int, int, int, int], change: Change, p: float) -> SliceChange:
    both, lost, won, neither = cells
    return SliceChange(
        name=WITHOUT_SLICE if value is None else value,
        change=change,
        p=p,
        decision=change.decision(p=p),
        before=(both + lost) / change.n,
        after=(both + won) / change.n,
        failing_before=won + neither,
        mended=won,
    )


def _same_basis(run: Run, baseline: Run) -> bool:
    same_judges = judges_of(run) == judges_of(baseline)
    return run.policy_fingerprint == baseline.policy_fingerprint and same_judges


def _decided(groups: Sequence[PairGroup]) -> tuple[Change | None, MixTest | None]:
    """Return the change of accuracy and of the class mix over the decided pairs."""
    cells, moves = Counter[tuple[bool, bool]](), Counter[tuple[str, str]]()
    for group in groups:
        if group.is_paired and group.before is not None and group.now is not None:
            cells[group.before == CORRECT, group.now == CORRECT] += group.count
            moves[group.before, group.now] += group.count
    if not cells:
        return None, None
    counts = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    return share_change(*counts), stuart_maxwell(moves)
