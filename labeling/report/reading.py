"""What people and machine said of a run's queries, counted by the database in a fixed number of statements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q

from labeling.core.correction import Draw, Stratum, newest_usable
from labeling.models import Outcome, ReviewSession, SessionItem, Skip
from triage.core.labels import FOUR_CLASSES, MISSED_FAILURE, NOT_A_FAILURE, UNSCORED
from triage.models import Query, Run

FINAL = Outcome.State.FINAL
#: Category of a final verdict: class and sub-cause together; classes are sums over these.
Category = str
#: What became of a take-all item whose verdict was withdrawn later.
WITHDRAWN = "withdrawn"


def category(label: str, sub_cause: str) -> Category:
    """Return the finest category of a verdict."""
    return f"{label}/{sub_cause}"


def label_of(one: Category) -> str:
    """Return the class of a category."""
    return one.partition("/")[0]


def coarse(counts: Mapping[Category, int]) -> dict[str, int]:
    """Return counts by class from counts by (class, sub-cause)."""
    sums: Counter[str] = Counter()
    for one, count in counts.items():
        sums[label_of(one)] += count
    return dict(sums)


@dataclass(frozen=True, slots=True)
class Failing:
    """The failing queries of a run by automatic label and by final verdict."""

    automatic: dict[str, int]
    reviewed: dict[str, int]
    confirmed: dict[Category, int]
    unfiled: int

    @property
    def total(self) -> int:
        """Return how many queries fail."""
        return sum(self.automatic.values()) + self.unfiled


def failing(run: Run) -> Failing:
    """Count the failing queries, once."""
    current = FilteredRelation("suggestions", condition=Q(suggestions__is_current=True))
    rows = (
        Query.objects.filter(run=run, correct=False)
        .annotate(current=current)
        .values_list("current__label", "outcome__state", "outcome__label", "outcome__sub_cause")
        .annotate(count=Count("pk"))
    )
    automatic = Counter[str](dict.fromkeys([*map(str, FOUR_CLASSES), UNSCORED], 0))
    reviewed, confirmed, unfiled = Counter[str](), Counter[str](), 0
    for machine, state, label, sub_cause, count in rows:
        if machine is None:
            unfiled += count
        else:
            automatic[machine] += count
        if state == FINAL:
            reviewed[machine or UNSCORED] += count
            confirmed[category(label, sub_cause)] += count
    return Failing(dict(automatic), dict(reviewed), dict(confirmed), unfiled)


def passing(run: Run) -> dict[str, int]:
    """Return the final verdicts on passing queries: `missed_failure` or `not_a_failure` -> count."""
    rows = Outcome.objects.filter(query__run=run, query__correct=True, state=FINAL)
    counts = Counter[str]()
    for label, count in rows.values_list("label").annotate(Count("pk")):
        counts[audited_as(label)] += count
    return dict(counts)


def audited_as(label: str) -> str:
    """Return what a verdict on a passing query means: any failure label is a missed failure."""
    return NOT_A_FAILURE if label == NOT_A_FAILURE else MISSED_FAILURE


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw as the estimator needs it, and when it was made."""

    draw: Draw
    made_at: datetime


def usable_draws(run: Run) -> dict[str, Drawn]:
    """Return for each population (`failing`, `passing`) the unfiltered random draw that feeds its estimate."""
    return usable_draws_of([run]).get(run.pk, {})


def usable_draws_of(runs: Sequence[Run]) -> dict[int, dict[str, Drawn]]:
    """Return the same for several runs, by run, in as many statements as for one."""
    drawn = ReviewSession.objects.filter(run__in=[run.pk for run in runs], drawn=ReviewSession.Drawn.RANDOM)
    sessions = [session for session in drawn.order_by("pk") if not session.frame.get("filter")]
    read = _read(sessions)
    taken = _taken(sessions)
    made: defaultdict[tuple[int, str], list[ReviewSession]] = defaultdict(list)
    for session in sessions:
        if session.population in (ReviewSession.Population.FAILING, ReviewSession.Population.PASSING):
            made[session.run_id, session.population].append(session)
    found: defaultdict[int, dict[str, Drawn]] = defaultdict(dict)
    for (run, population), own in made.items():
        dates = {session.key: session.created_at for session in own}
        if (draw := newest_usable([_draw(session, read[session.pk], taken) for session in own])) is not None:
            found[run][population] = Drawn(draw, dates[draw.key])
    return found


#: session -> stratum -> (final verdicts by category, opened without one)
_Read = dict[int, dict[str, tuple[Counter[str], int]]]


def _read(sessions: Iterable[ReviewSession]) -> _Read:
    """Count the drawn items by stratum and by what they came to; unopened ones count for nothing."""
    skipped = Exists(Skip.objects.filter(item=OuterRef("pk"), requeued_at=None))
    rows = (
        SessionItem.objects.filter(session__in=[session.pk for session in sessions])
        .annotate(skipped=skipped)
        .values_list(
            "session_id",
            "stratum",
            "query__outcome__state",
            "query__outcome__label",
            "query__outcome__sub_cause",
            "skipped",
        )
        .annotate(count=Count("pk"))
    )
    read: _Read = defaultdict(lambda: defaultdict(lambda: (Counter(), 0)))
    for session, stratum, state, label, sub_cause, was_skipped, count in rows:
        seen, pending = read[session][stratum]
        if state == FINAL:
            seen[category(label, sub_cause)] += count
        elif state is not None or was_skipped:
            pending += count
        read[session][stratum] = (seen, pending)
    return read


def _taken(sessions: Iterable[ReviewSession]) -> dict[int, Category]:
    """Return the final verdicts of the queries that were take-all in any of the draws."""
    queries = {query for session in sessions for query in session.frame.get("take_all", [])}
    rows = Outcome.objects.filter(query__in=queries, state=FINAL) if queries else Outcome.objects.none()
    told = rows.values_list("query_id", "label", "sub_cause")
    return {query: category(label, sub_cause) for query, label, sub_cause in told}


def _draw(session: ReviewSession, read: Mapping[str, tuple[Counter[str], int]], taken: Mapping[int, Category]) -> Draw:
    """Return the session as a draw; passing queries count as missed failures or not."""
    is_passing = session.population == ReviewSession.Population.PASSING
    take_all, withdrawn = Counter[str](), 0
    for query in session.frame.get("take_all", []):
        if query in taken:
            take_all[_as_read(taken[query], is_passing)] += 1
        else:
            withdrawn += 1
    strata = []
    for key, size in session.strata.items():
        seen, pending = read.get(key, (Counter(), 0))
        strata.append(Stratum(key, size, _renamed(seen, is_passing), pending))
    if withdrawn:
        strata.append(Stratum(WITHDRAWN, withdrawn, {}))
    return Draw(session.key, tuple(strata), take_all)


def _as_read(one: Category, is_passing: bool) -> str:
    return audited_as(label_of(one)) if is_passing else one


def _renamed(seen: Mapping[Category, int], is_passing: bool) -> dict[str, int]:
    renamed: Counter[str] = Counter()
    for one, count in seen.items():
        renamed[_as_read(one, is_passing)] += count
    return dict(renamed)


def coarse_draw(draw: Draw) -> Draw:
    """Return the draw with its categories summed up to classes."""
    strata = tuple(Stratum(one.key, one.size, coarse(one.seen), one.pending) for one in draw.strata)
    return Draw(draw.key, strata, coarse(draw.take_all))
