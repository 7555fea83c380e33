"""Runs over the same queries side by side: what was set differently, what changed, what that can be credited to.

Plain Python, light. Sources of the tests: see `paired`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.core.paired import MOST_FLIPS, Change, Decision, sign_flip
from triage.core.intervals import normal_interval

#: Metrics where less is better; of tokens and time nobody wants more for nothing.
LESS_IS_BETTER = frozenset(
    {"context_tokens", "tokens_per_chunk", "latency_ms", "cost", "false_answer_rate", "over_abstention_rate"}
)
#: Decimals that money and the like are never spelled beyond.
MOST_PLACES = 8
#: What a run that does not name a setting is shown with.
NOT_SAID = "not said"
GOLD_ONLY, PADDED = "gold_only", "padded"
#: Recall at or above which a wrong answer had its evidence in the prompt.
EVIDENCE_WAS_THERE = 0.5


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that is not the same in all runs, with its value in each, in their order."""

    name: str
    values: tuple[str, ...]


def settings_that_differ(configs: Sequence[Mapping[str, Any]]) -> tuple[Setting, ...]:
    """Return the settings of which at least two runs differ, by name."""
    names = sorted({name for config in configs for name in config})
    rows = (Setting(name, tuple(_said(config, name) for config in configs)) for name in names)
    return tuple(row for row in rows if len(set(row.values)) > 1)


def _said(config: Mapping[str, Any], name: str) -> str:
    return NOT_SAID if name not in config else str(config[name])


def credit_warning(differing: Sequence[Setting]) -> str:
    """Say that a difference cannot be credited to one of several changes; blank where at most one setting differs."""
    words = {2: "two", 3: "three", 4: "four", 5: "five"}
    count = len(differing)
    if count < 2:
        return ""
    names = ", ".join(row.name for row in differing)
    rest = "either" if count == 2 else "any one of them"
    many = words.get(count, str(count)).capitalize()
    return f"{many} settings changed ({names}): this difference cannot be credited to {rest}."


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the paired differences of one metric, as a database adds them up."""

    n: int
    total: float
    squares: float
    #: The non-zero differences, where they are few enough for the exact test.
    moved: tuple[float, ...] | None = None


def change_of(sums: Sums) -> Change | None:
    """Return the mean paired difference with its normal interval and the sign-flip p-value; None without pairs."""
    if sums.n == 0:
        return None
    mean = sums.total / sums.n
    if sums.n < 2:
        return Change(mean, None, None, 1.0, sums.n)
    variance = max(0.0, (sums.squares - sums.n * mean * mean) / (sums.n - 1))
    low, high = normal_interval(mean, variance, sums.n)
    return Change(mean, low, high, _p_value(sums), sums.n)


def _p_value(sums: Sums) -> float:
    if sums.moved is not None and len(sums.moved) <= MOST_FLIPS:
        return sign_flip(sums.moved)
    return math.erfc(abs(sums.total) / math.sqrt(2 * sums.squares)) if sums.squares else 1.0


def decision_of(metric: str, change: Change) -> Decision:
    """Return better, worse or not decided for a metric's change."""
    return change.decision(higher_is_better=metric not in LESS_IS_BETTER)


def money_places(*amounts: float | None) -> int:
    """Return the decimals that give the smallest amount two digits: a price is never printed as 0.00."""
    sizes = [abs(amount) for amount in amounts if amount]
    return max(2, min(MOST_PLACES, 1 - math.floor(math.log10(min(sizes))))) if sizes else 2


@dataclass(frozen=True, slots=True)
class Truncation:
    """What cutting k says about the order of the chunks: by how much relevant ones crowd near the top."""

    factor: float
    share_of_relevant: float
    share_of_slots: float


def truncation(
    differing: Sequence[Setting], ks: tuple[object, object], precisions: tuple[float | None, float | None]
) -> Truncation | None:
    """Return the over-representation under truncation, where k alone was cut and precision is above 0 in both.

    Precision rises by the factor by which relevant chunks are over-represented in the kept slots, and by nothing else.
    """
    before, after = precisions
    wide, narrow = ks
    if [row.name for row in differing] != ["k"] or not before or not after:
        return None
    if not isinstance(wide, int | float) or not isinstance(narrow, int | float) or not 0 < narrow < wide:
        return None
    factor, slots = after / before, narrow / wide
    return Truncation(factor, factor * slots, slots)
