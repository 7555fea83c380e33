"""Drawing a session: which queries, by lot or all of them, and what the statistics must know about it.

The frame keeps the filter, the policy and gold version, the seed, and the queries that had a final verdict before the
draw (take-all: they count as themselves). Strata are the automatic labels at this moment and never change again.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, NullIf

from labeling.core.sampling import Drawn, OpenStratum, draw, fraction_of, is_blind, narrowing
from labeling.models import Outcome, ReviewSession, SessionItem
from labeling.worklist.frame import Filter, frame_of
from labeling.worklist.sessions import FILL_SEATS
from triage import journal
from triage.core.labels import VERDICT_LABELS
from triage.models import Run, Suggestion

PASSING = "passing"
#: How many people can take part in a calibration round.
ROUND_SEATS = 10
DRAWN = {
    "all": ReviewSession.Drawn.ALL,
    "random": ReviewSession.Drawn.RANDOM,
    "narrowing": ReviewSession.Drawn.RANDOM,
    "round": ReviewSession.Drawn.CHOSEN,
}
Population = ReviewSession.Population


@dataclass(frozen=True, slots=True)
class Wish:
    """What a lead asks for.

    `how`: all, random (n by lot), narrowing (n by lot, spread to narrow the intervals), or round (n with a known
    final verdict, for new reviewers to practise on; one seat for each of up to ten of them).
    """

    name: str
    population: str = Population.FAILING
    how: str = "random"
    n: int = 50
    filter: Filter = field(default_factory=Filter)
    overlap: int = 1
    blind_share: float = 1.0
    #: Only for all: in file order instead of mixed.
    in_file_order: bool = False
    guidelines: str = ""
    due_at: datetime | None = None
    reviewers: tuple[int, ...] = ()


@transaction.atomic
def make_session(run: Run, by: User | None, wish: Wish, seed: str = "") -> ReviewSession:
    """Draw the session a lead wishes for, with its items and seats, and return it. The same seed draws the same."""
    seed = seed or secrets.token_hex(8)
    strata = _strata(run, wish)
    final = set(Outcome.objects.filter(query__in=strata, state=Outcome.State.FINAL).values_list("query", flat=True))
    is_draw = wish.how in {"random", "narrowing"}
    taken = sorted(final & strata.keys()) if is_draw else []
    open_items = {query: stratum for query, stratum in strata.items() if _is_in(wish, query in final)}
    drawn = _drawn(run, wish, seed, open_items)
    session = ReviewSession.objects.create(
        run=run,
        name=wish.name,
        population=wish.population,
        drawn=DRAWN[wish.how],
        frame={
            "filter": wish.filter.as_json(),
            "policy": run.policy_fingerprint,
            "gold_version": run.gold_version,
            "seed": seed,
            "take_all": taken,
            "items": len(drawn),
            "how": wish.how,
        },
        strata=dict(sorted(Counter(open_items.values()).items())),
        overlap=ROUND_SEATS if wish.how == "round" else wish.overlap,
        blind_share=wish.blind_share,
        guidelines=wish.guidelines,
        due_at=wish.due_at,
        created_by=by,
    )
    session.reviewers.set(wish.reviewers)
    _fill(session, seed, drawn)
    new = {"how": wish.how, "items": len(drawn), "overlap": session.overlap, "blind_share": wish.blind_share}
    journal.note("session.made", run.project_id, session.key, new={"run": run.key, **new}, by=by)
    return session


def _is_in(wish: Wish, is_final: bool) -> bool:
    """Say whether a query can be in the session: a draw is of the open ones, a round of the decided ones."""
    return True if wish.how == "all" else is_final == (wish.how == "round")


def open_strata_of(run: Run) -> list[OpenStratum]:
    """Return the strata of the run's failing queries without a final verdict: what an unfiltered draw is from."""
    strata = _strata(run, Wish(name=""))
    final = set(Outcome.objects.filter(query__in=strata, state=Outcome.State.FINAL).values_list("query", flat=True))
    return open_strata(run, {query: stratum for query, stratum in strata.items() if query not in final})


def _strata(run: Run, wish: Wish) -> dict[int, str]:
    """Return the queries of the population that pass the filter, each with its stratum, in file order."""
    queries = frame_of(run, wish.population, wish.filter)
    label = Coalesce(NullIf(F("would_be"), Value("")), F("label"))
    labels = dict(Suggestion.objects.current_in(run).values_list("query_id").annotate(stratum=label))
    default = PASSING if wish.population == Population.PASSING else ""
    return {query: labels.get(query, default) for query in queries.order_by("position").values_list("pk", flat=True)}


def _drawn(run: Run, wish: Wish, seed: str, items: Mapping[int, str]) -> list[Drawn]:
    """Return the drawn items in reading order; `Drawn.item` is the query's row id as text."""
    frame = {str(query): stratum for query, stratum in items.items()}
    if wish.how == "all":
        order = list(frame) if wish.in_file_order else sorted(frame, key=lambda item: (fraction_of(seed, item), item))
        return [Drawn(item, frame[item], 1.0) for item in order]
    if wish.how == "narrowing":
        return draw(seed, frame, narrowing(open_strata(run, items), wish.n, VERDICT_LABELS))
    lot = sorted(frame, key=lambda item: (fraction_of(seed, item), item))[: wish.n]
    return draw(seed, frame, Counter(frame[item] for item in lot))


def open_strata(run: Run, items: Mapping[int, str]) -> list[OpenStratum]:
    """Return the strata of the open items with what people have made of each automatic class so far."""
    sizes = Counter(items.values())
    seen: dict[str, Counter[str]] = {key: Counter() for key in sizes}
    stratum = Coalesce(NullIf(F("query__suggestions__would_be"), Value("")), F("query__suggestions__label"))
    told = Outcome.objects.filter(
        query__run=run, state=Outcome.State.FINAL, query__suggestions__is_current=True
    ).annotate(stratum=stratum)
    for key, label in told.values_list("stratum", "label"):
        if key in seen:
            seen[key][label] += 1
    return [OpenStratum(key, size, seen[key]) for key, size in sorted(sizes.items())]


def _fill(session: ReviewSession, seed: str, drawn: list[Drawn]) -> None:
    """Write the items in reading order, each blind by lot, and their seats."""
    SessionItem.objects.bulk_create(
        (
            SessionItem(
                session=session,
                query_id=int(one.item),
                position=position,
                stratum=one.stratum,
                inclusion=one.inclusion,
                blind=is_blind(seed, one.item, session.blind_share),
            )
            for position, one in enumerate(drawn, 1)
        ),
        batch_size=5_000,
    )
    with connection.cursor() as cursor:
        cursor.execute(FILL_SEATS, {"session": session.pk, "overlap": session.overlap})
