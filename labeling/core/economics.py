"""What a reranker costs and saves: latency by candidates, tokens, money, and the query rate where a node pays.

Plain Python. Prices are inputs; what no figure accounts for is named, never spread over the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

#: Seconds of a month of 30 days.
MONTH_S = 30 * 86_400
A_MILLION, A_THOUSAND = 1_000_000, 1_000


@dataclass(frozen=True, slots=True)
class FittedPoint:
    """Added latency at one number of candidates; `residual_ms` None = there is no line."""

    candidates: float
    added_ms: float
    residual_ms: float | None

    @property
    def ms_each(self) -> float:
        """Return milliseconds a candidate."""
        return self.added_ms / self.candidates


@dataclass(frozen=True, slots=True)
class Fit:
    """Added latency as a straight line of the candidates, by least squares; None where one number is all there is."""

    points: tuple[FittedPoint, ...]
    fixed_ms: float | None
    ms_each: float | None

    @property
    def is_exact_by_construction(self) -> bool:
        """Say whether two points are all: any two fit a line, so the residuals say nothing."""
        return self.ms_each is not None and len(self.points) == 2

    def at(self, candidates: float) -> float | None:
        """Return what the line says of a number of candidates, or what was measured exactly there without a line."""
        if self.fixed_ms is not None and self.ms_each is not None:
            return self.fixed_ms + self.ms_each * candidates
        return next((point.added_ms for point in self.points if point.candidates == candidates), None)


def fit(points: Sequence[tuple[float, float]]) -> Fit:
    """Fit (candidates, added ms) by least squares. Raises ValueError where candidates are not above 0."""
    if any(candidates <= 0 for candidates, _ in points):
        raise ValueError("a number of candidates is above 0")
    ordered = sorted(points)
    if len({candidates for candidates, _ in ordered}) < 2:
        return Fit(tuple(FittedPoint(x, y, None) for x, y in ordered), None, None)
    mean_x, mean_y = fmean(x for x, _ in ordered), fmean(y for _, y in ordered)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in ordered) / sum((x - mean_x) ** 2 for x, _ in ordered)
    fixed = mean_y - slope * mean_x
    return Fit(tuple(FittedPoint(x, y, y - fixed - slope * x) for x, y in ordered), fixed, slope)


@dataclass(frozen=True, slots=True)
class Latency:
    """One percentile of both arms, and how much of its change the reranker's own time accounts for."""

    name: str
    before_ms: float
    after_ms: float
    #: The reranker's own time; None = nobody measured it.
    own_ms: float | None

    @property
    def added_ms(self) -> float:
        """Return what the arm takes longer."""
        return self.after_ms - self.before_ms

    @property
    def unattributed_ms(self) -> float | None:
        """Return what the reranker does not account for: the cost of whatever else changed."""
        return None if self.own_ms is None else self.added_ms - self.own_ms


@dataclass(frozen=True, slots=True)
class Money:
    """What fewer context tokens save at an input price, against what a reranker costs."""

    #: Context tokens saved a query; below 0 = the reranked arm sends more.
    tokens_saved: float
    n: int
    #: None where no run says a price.
    price_per_million: float | None
    currency: str
    hosted_per_1000: float | None
    node_per_month: float | None

    @property
    def saved_per_query(self) -> float | None:
        """Return money saved a query on input tokens."""
        return None if self.price_per_million is None else self.tokens_saved * self.price_per_million / A_MILLION

    @property
    def saved_per_1000(self) -> float | None:
        """Return money saved per 1,000 queries on input tokens."""
        return None if self.saved_per_query is None else self.saved_per_query * A_THOUSAND

    @property
    def net_hosted_per_1000(self) -> float | None:
        """Return what is left per 1,000 queries after a hosted reranker."""
        if self.saved_per_1000 is None or self.hosted_per_1000 is None:
            return None
        return self.saved_per_1000 - self.hosted_per_1000

    @property
    def break_even_per_month(self) -> float | None:
        """Return the queries a month above which the saving pays the node; None without prices or saving."""
        if self.node_per_month is None or self.saved_per_query is None or self.saved_per_query <= 0:
            return None
        return self.node_per_month / self.saved_per_query

    @property
    def break_even_per_s(self) -> float | None:
        """Return the same as queries a second, all month long."""
        return None if self.break_even_per_month is None else self.break_even_per_month / MONTH_S


@dataclass(frozen=True, slots=True)
class Path:
    """The queries of the reranked arm that took one path: the reranker answered, timed out, or was off."""

    path: str
    n: int
    accuracy: float | None
    precision: float | None
    latency_ms: float | None
    tokens: float | None


#: How paths are named and ordered.
OK, TIMEOUT, OFF, NOT_SAID = "ok", "timeout", "off", "not said"
PATHS = (OK, TIMEOUT, OFF, NOT_SAID)


def fallback_words(paths: Sequence[Path]) -> str:
    """Say how many queries got the unranked order although the arm is called reranked; blank = none is known to."""
    total, fell = sum(path.n for path in paths), sum(path.n for path in paths if path.path in (TIMEOUT, OFF))
    if not total:
        return ""
    unsaid = sum(path.n for path in paths if path.path == NOT_SAID)
    if unsaid == total:
        return "The file does not say which path a query took: a silent fallback would not show."
    if not fell:
        return ""
    return f"{fell:,} of {total:,} queries ({fell / total:.1%}) fell back to the order without the reranker."


def read_points(text: str) -> tuple[tuple[float, float], ...]:
    """Read "20:42, 50:95": candidates and added milliseconds. Raises ValueError that says what was found."""
    found = []
    for piece in text.replace(";", ",").split(","):
        if not piece.strip():
            continue
        candidates, _, added = piece.partition(":")
        try:
            point = (float(candidates), float(added))
        except ValueError as fault:
            raise ValueError(f"expected candidates:ms pairs such as 20:42, 50:95, found {piece.strip()!r}") from fault
        if not (0 < point[0] < A_MILLION and 0 <= point[1] < A_MILLION):
            raise ValueError(f"candidates are above 0 and milliseconds not below, found {piece.strip()!r}")
        found.append(point)
    return tuple(found)
