"""A random sample that came with the file becomes a draw: strata and sizes as they are at the first classification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Now, NullIf

from labeling.models import ReviewSession, SessionItem, Verdict
from triage.models import Query, Run, Suggestion

NAME = "Random draw that came with the file"
PASSING = "passing"


def receive_draws(run_id: int) -> None:
    """Make the draws of a run whose file says `drawn: random`, once: later classifications leave them alone.

    Such a verdict stands for a simple random sample of its automatic class, or of the passing queries.
    """
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=run_id)
        imported = Verdict.objects.filter(query__run=run, reviewer=None, is_current=True).exclude(label="")
        _note_suggested(run)
        random = set(imported.filter(drawn="random").values_list("query_id", flat=True))
        if not random or run.sessions.filter(name=NAME, drawn=ReviewSession.Drawn.RANDOM).exists():
            return
        populations = ReviewSession.Population
        _make(run, populations.FAILING, strata_now(run), random)
        passing = run.queries.filter(correct=True).values_list("pk", flat=True)
        _make(run, populations.PASSING, dict.fromkeys(passing, PASSING), random)


def strata_now(run: Run) -> dict[int, str]:
    """Return each failing query's stratum: its automatic label, an unscored one by what it would be."""
    stratum = Coalesce(NullIf(F("would_be"), Value("")), F("label"))
    return dict(Suggestion.objects.current_in(run).values_list("query_id").annotate(stratum=stratum))


def _note_suggested(run: Run) -> None:
    """Keep with each imported verdict what the machine said first; it is what agreement compares with."""
    said = dict(Suggestion.objects.current_in(run).values_list("query_id", "label"))
    rows = list(Verdict.objects.filter(query__run=run, reviewer=None, suggested="").filter(query__in=said))
    for row in rows:
        row.suggested = said[row.query_id]
    Verdict.objects.bulk_update(rows, ["suggested"], batch_size=1_000)


def _make(run: Run, population: str, strata: Mapping[int, str], random: set[int]) -> None:
    """Write one draw with its items, if any of the sample lies in this population."""
    sizes = Counter(strata.values())
    places = Query.objects.filter(pk__in=random & strata.keys()).order_by("position").values_list("pk", flat=True)
    drawn = Counter(strata[query] for query in places)
    if not drawn:
        return
    session = ReviewSession.objects.create(
        run=run,
        name=NAME,
        population=population,
        drawn=ReviewSession.Drawn.RANDOM,
        frame={"filter": {}, "policy": run.policy_fingerprint, "gold_version": run.gold_version, "take_all": []},
        strata=dict(sorted(sizes.items())),
        closed_at=Now(),
    )
    SessionItem.objects.bulk_create(
        SessionItem(
            session=session,
            query_id=query,
            position=position,
            stratum=strata[query],
            inclusion=drawn[strata[query]] / sizes[strata[query]],
        )
        for position, query in enumerate(places, 1)
    )
