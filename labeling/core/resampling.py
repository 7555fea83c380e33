"""The next evaluation set: how many questions of each slice, and which. Plain Python.

Everything random is a hash of the seed and the question's id: the same seed gives the same set anywhere.
Sources: Neyman 1934 (allocation by size times spread); largest remainders (Hamilton) for the rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from labeling.core.sampling import fraction_of


class How(StrEnum):
    """How the questions are spread over the slices."""

    #: As the logs are: the set describes what users ask.
    PROPORTIONAL = "proportional"
    #: More where answers fail about as often as not: the interval of accuracy over the logs is narrowest.
    NEYMAN = "neyman"


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice of the logs: how many questions, and what the last set came to in it."""

    name: str
    size: int
    failing: int = 0
    decided: int = 0

    @property
    def spread(self) -> float:
        """Return sqrt(p (1 - p)) of the failure rate, with Jeffreys' half a question for and half against."""
        share = (self.failing + 0.5) / (self.decided + 1)
        return math.sqrt(share * (1 - share))


def allocate(slices: Iterable[Slice], total: int, minimum: int, how: How) -> dict[str, int]:
    """Spread `total` questions over the slices by weight, at least `minimum` each (or all there are).

    A slice never gets more than it has; what it cannot take goes to the others. The minimum may exceed `total`.
    """
    listed = sorted(slices, key=lambda one: one.name)
    weights = {one.name: one.size * (one.spread if how is How.NEYMAN else 1.0) for one in listed}
    low, high = 0.0, max((one.size / weights[one.name] for one in listed), default=0.0)
    for _ in range(80):
        middle = (low + high) / 2
        if sum(_due(one, minimum, middle * weights[one.name]) for one in listed) <= total:
            low = middle
        else:
            high = middle
    due = {one.name: _due(one, minimum, low * weights[one.name]) for one in listed}
    floor = sum(min(one.size, minimum) for one in listed)
    return _rounded(due, {one.name: one.size for one in listed}, max(floor, total))


def _due(one: Slice, minimum: int, amount: float) -> float:
    return min(one.size, max(minimum, amount))


def _rounded(due: Mapping[str, float], sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Round down, then give what is left to the largest remainders, ties by name, never beyond a slice's size."""
    take = {name: math.floor(amount + 1e-9) for name, amount in due.items()}
    spare = min(total, sum(sizes.values())) - sum(take.values())
    order = sorted(take, key=lambda name: (take[name] - due[name], name))
    for name in order[:spare]:
        take[name] = min(sizes[name], take[name] + 1)
    return take


class Carry(StrEnum):
    """Whether a question of the last set is carried over, or why not."""

    CARRIED = "carried"
    NO_GOLD = "no gold"
    #: A gold chunk is no longer in the corpus of the logs, or was superseded there.
    GONE = "gold is gone"
    TOO_OLD = "too old"
    #: Its slice has enough of them, or the share for carried questions is used up.
    NO_ROOM = "no room"
    #: Nobody asks in this slice any more.
    NO_SLICE = "slice not in the logs"


@dataclass(frozen=True, slots=True)
class Old:
    """One question of the last set: its slice, the age of its gold, and what speaks against carrying it."""

    key: str
    slice: str
    #: None: nobody said when the set was built.
    age_days: int | None
    against: Carry | None = None


def carried(old: Iterable[Old], take: Mapping[str, int], most: int, seed: str) -> dict[str, Carry]:
    """Return key -> what becomes of it: the freshest first, then by lot, within each slice's part and `most` in all."""
    room, left = dict(take), most
    found: dict[str, Carry] = {}
    ordered = sorted(old, key=lambda one: (_age(one), fraction_of(seed, "carry", one.key), one.key))
    for one in ordered:
        if one.against is not None:
            found[one.key] = one.against
        elif one.slice not in room:
            found[one.key] = Carry.NO_SLICE
        elif not left or not room[one.slice]:
            found[one.key] = Carry.NO_ROOM
        else:
            found[one.key] = Carry.CARRIED
            room[one.slice] -= 1
            left -= 1
    return found


def _age(one: Old) -> float:
    return math.inf if one.age_days is None else one.age_days


def drawn(frame: Mapping[str, str], take: Mapping[str, int], seed: str) -> list[str]:
    """Return the keys drawn from `frame` (key -> slice), so many of each slice, in an order that mixes the slices."""
    left, found = dict(take), []
    for key in sorted(frame, key=lambda key: (fraction_of(seed, "logs", key), key)):
        if left.get(frame[key], 0) > 0:
            left[frame[key]] -= 1
            found.append(key)
    return found
