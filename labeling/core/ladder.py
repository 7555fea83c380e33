"""A chain of interventions on one slice: what each step moved, beside what two runs of the same settings differ by.

Plain Python. All levels are means over the same queries, so that the steps add up to the whole with nothing left over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from labeling.core.paired import Change, Decision, mean_change

#: A change of fewer run-to-run differences than this cannot be told from one.
CLEAR_OF_NOISE = 2.0


class Beside(StrEnum):
    """How a step stands beside the noise."""

    BEYOND = "beyond the noise"
    CLOSE = "not told from noise"
    UNKNOWN = "noise not known"


@dataclass(frozen=True, slots=True)
class Noise:
    """The mean absolute difference between runs of the same settings, over the same queries."""

    value: float | None
    #: Pairs of repeats it rests on.
    pairs: int

    def times(self, change: float) -> float | None:
        """Return how many run-to-run differences a change is; None where there is none, or repeats never differed."""
        return abs(change) / self.value if self.value else None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run takes a query; None where the file does not say."""

    cost: float | None
    latency_ms: float | None


@dataclass(frozen=True, slots=True)
class Step:
    """One run of the chain; the first has no change."""

    name: str
    level: float
    change: Change | None
    times_noise: float | None
    spent: Spent
    #: Cost over the cost of the run before; latency minus the latency of the run before.
    cost_ratio: float | None
    added_ms: float | None

    @property
    def beside(self) -> Beside | None:
        """Say whether the step can be told from noise: by repeats, and by its own paired interval."""
        if self.change is None:
            return None
        if self.times_noise is None:
            return Beside.UNKNOWN
        decided = self.change.decision() is not Decision.NOT_DECIDED
        return Beside.BEYOND if decided and self.times_noise >= CLEAR_OF_NOISE else Beside.CLOSE


@dataclass(frozen=True, slots=True)
class Ladder:
    """The chain over its common queries."""

    n: int
    steps: tuple[Step, ...]
    noise: Noise

    @property
    def whole(self) -> float:
        """Return the last level minus the first: the sum of the steps."""
        return self.steps[-1].level - self.steps[0].level


def noise_of(groups: Sequence[Sequence[float]]) -> Noise:
    """Return the noise from groups of levels, each the repeats of one setting."""
    gaps = [abs(one - other) for levels in groups for place, one in enumerate(levels) for other in levels[place + 1 :]]
    return Noise(fmean(gaps) if gaps else None, len(gaps))


def ladder(
    names: Sequence[str],
    values: Sequence[Mapping[bytes, float]],
    spent: Sequence[Spent],
    repeats: Mapping[int, Sequence[Mapping[bytes, float]]],
) -> Ladder:
    """Return the chain of runs, each given as query -> value; `repeats` holds further runs of a place's settings.

    Only queries with a value in every run, repeats too, are read. Raises ValueError where there is none.
    """
    everything = [*values, *(run for runs in repeats.values() for run in runs)]
    common = sorted(set.intersection(*(set(run) for run in everything)))
    if not common:
        raise ValueError("no query of the slice has a value in all of these runs")
    columns = [[run[key] for key in common] for run in values]
    levels = [fmean(column) for column in columns]
    groups = [
        [levels[place], *(fmean(run[key] for key in common) for run in runs)] for place, runs in repeats.items() if runs
    ]
    noise = noise_of(groups)
    steps = [Step(names[0], levels[0], None, None, spent[0], None, None)]
    for place in range(1, len(columns)):
        change = mean_change([new - old for old, new in zip(columns[place - 1], columns[place], strict=True)])
        before, now = spent[place - 1], spent[place]
        steps.append(
            Step(
                name=names[place],
                level=levels[place],
                change=change,
                times_noise=noise.times(change.difference),
                spent=now,
                cost_ratio=now.cost / before.cost if now.cost is not None and before.cost else None,
                added_ms=_minus(now.latency_ms, before.latency_ms),
            )
        )
    return Ladder(len(common), tuple(steps), noise)


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None or not math.isfinite(one - other) else one - other
