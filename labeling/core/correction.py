"""Class counts corrected by what people found in a random draw (calibration.md section 4). Plain Python.

The population is fixed (say, the N failing queries of a run). Items that had a final verdict before the draw count
as themselves (*take-all*); each stratum of the rest is extrapolated from its drawn items. Points are exact
fractions, so that classes and `not_estimated` add up to N exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from labeling.core.limits import Part, finite_limits, mover_sum

#: A stratum with fewer final verdicts than this, and not read whole, is not extrapolated.
LEAST_READ = 5


@dataclass(frozen=True, slots=True)
class Stratum:
    """One stratum of a draw: its size N_a without the take-all items, and what its drawn items came to.

    `seen` counts final verdicts by category. `pending` drawn items were opened but have no final verdict (skipped,
    incomplete, or waiting for adjudication). Drawn items nobody has opened yet are in neither.
    """

    key: str
    size: int
    seen: Mapping[str, int]
    pending: int = 0

    def __post_init__(self) -> None:
        if self.read + self.pending > self.size or min([self.pending, *self.seen.values()], default=0) < 0:
            raise ValueError(f"stratum {self.key}: {self.read} read and {self.pending} pending of {self.size}")

    @property
    def read(self) -> int:
        """Return how many drawn items have a final verdict."""
        return sum(self.seen.values())

    @property
    def is_estimable(self) -> bool:
        """Say whether its share may be extrapolated: at least 5 read, or all of them."""
        return self.read >= LEAST_READ or self.read == self.size

    def point(self, category: str) -> Fraction:
        """Return N_a times the share of the category, or just what was seen where that is too little."""
        seen = self.seen.get(category, 0)
        return Fraction(self.size * seen, self.read) if self.is_estimable and self.read else Fraction(seen)

    def part(self, category: str) -> Part:
        """Return the point with exact limits: low as if no pending item were of the category, high as if all were."""
        seen, opened = self.seen.get(category, 0), self.read + self.pending
        low = finite_limits(seen, opened, self.size)[0]
        high = finite_limits(seen + self.pending, opened, self.size)[1]
        return Part(float(self.point(category)), low, high)


@dataclass(frozen=True, slots=True)
class Draw:
    """A random sample of a population, with its strata as they were at that moment."""

    key: str
    strata: tuple[Stratum, ...]
    #: Final verdicts given before the draw, by category: out of the strata, counted as themselves.
    take_all: Mapping[str, int]

    @property
    def population(self) -> int:
        """Return N: the strata and the take-all items together."""
        return sum(stratum.size for stratum in self.strata) + sum(self.take_all.values())

    @property
    def read(self) -> int:
        """Return how many drawn items have a final verdict."""
        return sum(stratum.read for stratum in self.strata)

    @property
    def not_estimated(self) -> int:
        """Return how many items lie in strata too little read, without being read themselves."""
        return sum(stratum.size - stratum.read for stratum in self.strata if not stratum.is_estimable)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A corrected count with its 95 % limits, and how many items people have confirmed as of this category."""

    value: float
    low: float
    high: float
    confirmed: int


@dataclass(frozen=True, slots=True)
class Correction:
    """All categories of one population. The values and `not_estimated` add up to `population`."""

    population: int
    estimates: dict[str, Estimate]
    not_estimated: int
    read: int
    pending: int
    take_all: int
    #: Final verdicts that never move a point: on items a person chose, or carried over from another run.
    chosen: int


def correct(draw: Draw, confirmed: Mapping[str, int], categories: Sequence[str]) -> Correction:
    """Estimate each category's count in the draw's population.

    `confirmed` counts every final verdict in the population by category, drawn or not. Each interval is cut to
    what is certain: at least the confirmed, at most the confirmed plus all items without a final verdict. Raises
    ValueError where a category was seen or confirmed that is not among `categories`.
    """
    _demand_known(draw, confirmed, categories)
    open_items = draw.population - sum(confirmed.values())
    estimates = {category: _estimate(draw, category, confirmed.get(category, 0), open_items) for category in categories}
    taken = sum(draw.take_all.values())
    return Correction(
        population=draw.population,
        estimates=estimates,
        not_estimated=draw.not_estimated,
        read=draw.read,
        pending=sum(stratum.pending for stratum in draw.strata),
        take_all=taken,
        chosen=sum(confirmed.values()) - draw.read - taken,
    )


def _demand_known(draw: Draw, confirmed: Mapping[str, int], categories: Sequence[str]) -> None:
    met = {*confirmed, *draw.take_all, *(category for stratum in draw.strata for category in stratum.seen)}
    if unknown := met - set(categories):
        raise ValueError(f"categories that no estimate asks for: {sorted(unknown)}")


def _estimate(draw: Draw, category: str, confirmed: int, open_items: int) -> Estimate:
    """Return one category's estimate.

    The cut can lift `low` over the point: verdicts on chosen items show more of the category than the draw alone
    suggests. The point stays (it must not move), the limits say what is certain.
    """
    taken = draw.take_all.get(category, 0)
    total = mover_sum(stratum.part(category) for stratum in draw.strata)
    value = float(taken + sum((stratum.point(category) for stratum in draw.strata), Fraction(0)))
    low = min(max(taken + total.low, confirmed), confirmed + open_items)
    high = max(min(taken + total.high, confirmed + open_items), low)
    return Estimate(value, low, high, confirmed)


def closes(correction: Correction) -> bool:
    """Say whether the categories and `not_estimated` add up to N, to a millionth of an item."""
    total = sum(estimate.value for estimate in correction.estimates.values()) + correction.not_estimated
    return abs(total - correction.population) < 1e-6


def newest_usable(draws: Sequence[Draw]) -> Draw | None:
    """Return the draw that feeds the estimate, of unfiltered draws given oldest first.

    The newest one that leaves nothing `not_estimated`; else the newest with anything read; else none. So a second
    draw takes over only once each of its strata has been read far enough.
    """
    read = [draw for draw in draws if draw.read or not any(stratum.size for stratum in draw.strata)]
    complete = [draw for draw in read if not draw.not_estimated]
    usable = complete or read
    return usable[-1] if usable else None
