"""Which items people read: seeded draws, the dev/test split, and how many more reads a wanted precision takes.

Everything random is a hash of a stored seed and the item: the same draw can be made again anywhere, and no global
state is involved. Sources: Neyman 1934 (allocation); Jeffreys prior for the spread of a share. Plain Python.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from labeling.core.correction import LEAST_READ
from labeling.core.limits import Part, finite_limits, mover_sum

DEV, TEST = "dev", "test"


def fraction_of(*parts: str) -> float:
    """Return a number in [0, 1) that depends on the parts alone and is spread evenly."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def split_of(query: str) -> str:
    """Return `dev` or `test` for a query's id, so that all claims of a query stay together, here and elsewhere."""
    return DEV if fraction_of("split", query) < 0.5 else TEST


def is_blind(seed: str, item: str, share: float) -> bool:
    """Say whether an item is read blind, by lot: `share` of all items are."""
    return fraction_of("blind", seed, item) < share


@dataclass(frozen=True, slots=True)
class Drawn:
    """One drawn item with its stratum and the probability with which the draw took it."""

    item: str
    stratum: str
    inclusion: float


def draw(seed: str, frame: Mapping[str, str], take: Mapping[str, int]) -> list[Drawn]:
    """Draw `take` items from each stratum of `frame` (item -> stratum), in the order to read them.

    The order mixes the strata: stopping early leaves a random sample of each, and the order tells nothing about
    the machine's label. Asking for more items later with the same seed keeps those drawn before.
    """
    members: dict[str, list[str]] = {}
    for item in sorted(frame, key=lambda item: (fraction_of(seed, item), item)):
        members.setdefault(frame[item], []).append(item)
    drawn = [
        Drawn(item, stratum, min(take.get(stratum, 0), len(items)) / len(items))
        for stratum, items in members.items()
        for item in items[: take.get(stratum, 0)]
    ]
    return sorted(drawn, key=lambda one: (fraction_of(seed, one.item), one.item))


@dataclass(frozen=True, slots=True)
class OpenStratum:
    """A stratum before a draw: how many items have no final verdict, and what the read ones came to."""

    key: str
    size: int
    seen: Mapping[str, int]

    def share(self, category: str) -> float:
        """Return the expected share of a category, with Jeffreys' half a read for and half against."""
        return (self.seen.get(category, 0) + 0.5) / (sum(self.seen.values()) + 1)


@dataclass(frozen=True, slots=True)
class Plan:
    """How many items to draw per stratum, and the half-width to expect for the widest class."""

    take: dict[str, int]
    half_width: float
    widest: str

    @property
    def total(self) -> int:
        """Return the size of the sample."""
        return sum(self.take.values())


def allocate(strata: Sequence[OpenStratum], total: int, category: str) -> dict[str, int]:
    """Spread `total` reads over strata: at least 5 each (or all), the rest by size times spread (Neyman).

    Strata that are full leave their surplus to the others. The floor may exceed `total`.
    """
    weights = {stratum.key: stratum.size * _spread(stratum, category) for stratum in strata}
    sizes = {stratum.key: stratum.size for stratum in strata}
    low, high = 0.0, max((sizes[key] / weight for key, weight in weights.items() if weight), default=0.0)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(_due(sizes[key], middle * weights[key]) for key in sizes) <= total:
            low = middle
        else:
            high = middle
    due = {key: _due(sizes[key], low * weights[key]) for key in sizes}
    take = {key: math.floor(amount + 1e-9) for key, amount in due.items()}
    spare = max(0, total - sum(take.values()))
    for key in sorted(take, key=lambda name: (take[name] - due[name], name))[:spare]:
        take[key] = min(sizes[key], take[key] + 1)
    return take


def _due(size: int, amount: float) -> float:
    return min(size, max(LEAST_READ, amount))


def _spread(stratum: OpenStratum, category: str) -> float:
    share = stratum.share(category)
    return math.sqrt(share * (1 - share))


def expected_half_widths(
    strata: Iterable[OpenStratum], take: Mapping[str, int], categories: Sequence[str]
) -> dict[str, float]:
    """Return the half-width each class's interval will have if the reads turn out as expected."""
    listed = list(strata)
    widths = {}
    for category in categories:
        total = mover_sum(_expected(stratum, take[stratum.key], category) for stratum in listed)
        widths[category] = (total.high - total.low) / 2
    return widths


def _expected(stratum: OpenStratum, read: int, category: str) -> Part:
    seen = min(read, round(stratum.share(category) * read))
    low, high = finite_limits(seen, read, stratum.size)
    return Part(stratum.size * seen / read if read else 0.0, low, high)


def how_many_more(strata: Sequence[OpenStratum], half_width: float, categories: Sequence[str]) -> Plan:
    """Return the smallest draw after which every class's 95 % interval is expected within +- `half_width` items.

    Reading everything always suffices, so there always is a plan; without open items it is empty.
    """
    low, high = sum(narrowing(strata, 0, categories).values()), sum(stratum.size for stratum in strata)
    while low < high:
        middle = (low + high) // 2
        take = narrowing(strata, middle, categories)
        if max(expected_half_widths(strata, take, categories).values()) <= half_width:
            high = middle
        else:
            low = middle + 1
    return planned(strata, narrowing(strata, low, categories), categories)


def planned(strata: Sequence[OpenStratum], take: dict[str, int], categories: Sequence[str]) -> Plan:
    """Return the plan of reading so many of each stratum, with the widest interval to expect."""
    widths = expected_half_widths(strata, take, categories)
    widest = max(categories, key=lambda category: widths[category])
    return Plan(take, widths[widest], widest)


def narrowing(strata: Sequence[OpenStratum], total: int, categories: Sequence[str]) -> dict[str, int]:
    """Spread `total` reads so that the class whose interval is widest at the least reads narrows most."""
    floor = expected_half_widths(strata, allocate(strata, 0, categories[0]), categories)
    return allocate(strata, total, max(categories, key=lambda category: floor[category]))
