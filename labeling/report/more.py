"""How many more queries must people read for a wanted precision, and the session that reads exactly those."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import BadRequest

from labeling.core.sampling import OpenStratum, Plan, how_many_more
from labeling.models import ReviewSession
from labeling.worklist import Wish, make_session
from labeling.worklist.draw import open_strata_of
from triage.core.labels import VERDICT_LABELS
from triage.models import Run

#: Half-widths offered, as shares of the failing queries.
OFFERED = (0.15, 0.10, 0.07, 0.05, 0.03)


@dataclass(frozen=True, slots=True)
class Offer:
    """A wanted half-width and what it takes."""

    half_width: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class StratumLine:
    """One stratum of the chosen plan."""

    label: str
    open: int
    read: int
    take: int


@dataclass(frozen=True, slots=True)
class MorePage:
    """Everything the page prints."""

    run: Run
    failing: int
    open: int
    offers: tuple[Offer, ...]
    chosen: Offer | None
    lines: tuple[StratumLine, ...]


def more_page(run: Run, half_width: int | None) -> MorePage:
    """Return what each offered precision takes, and the chosen one stratum by stratum."""
    strata = open_strata_of(run)
    failing = run.queries.filter(correct=False).count()
    widths = sorted({max(1, round(share * failing)) for share in OFFERED}, reverse=True) if failing else []
    offers = tuple(Offer(width, _plan(strata, width)) for width in widths)
    chosen = Offer(half_width, _plan(strata, half_width)) if half_width else None
    lines = tuple(
        StratumLine(one.key, one.size, sum(one.seen.values()), chosen.plan.take[one.key]) for one in strata if chosen
    )
    return MorePage(run, failing, sum(one.size for one in strata), offers, chosen, lines)


def _plan(strata: list[OpenStratum], half_width: float) -> Plan:
    return how_many_more(strata, half_width, VERDICT_LABELS)


def draw_more(run: Run, by: User, half_width: int) -> ReviewSession:
    """Make the session that a half-width takes: those reads, spread like that. Raises BadRequest if nothing is open."""
    plan = _plan(open_strata_of(run), half_width)
    if not plan.total:
        raise BadRequest("Every failing query has a final verdict: there is nothing more to read.")
    return make_session(run, by, Wish(name=f"For ±{half_width} of {run.name}"[:200], how="narrowing", n=plan.total))


def read_half_width(asked: str) -> int | None:
    """Read a half-width in queries. Raises BadRequest for anything but a whole number from 1 to a million."""
    if not asked:
        return None
    if not asked.isascii() or not asked.isdigit() or not 1 <= int(asked[:8]) <= 1_000_000:
        raise BadRequest("The half-width is a whole number of queries.")
    return int(asked[:8])
