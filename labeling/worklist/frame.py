"""The queries a session can be drawn from: a population of a run, narrowed by filters."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import BooleanField, Case, Count, F, Q, QuerySet, Value, When

from labeling.models import GoldChallenge, ReviewSession
from triage.core.filters import Outcome, QueryFilter
from triage.core.labels import Support
from triage.models import Project, Query, Role, Run, Score, Suggestion

SLICES = """
SELECT DISTINCT slice.key, slice.value FROM triage_query AS query
CROSS JOIN LATERAL jsonb_each_text(query.slices) AS slice(key, value)
WHERE query.run_id = %s AND slice.value IS NOT NULL ORDER BY 1, 2 LIMIT 200
"""

OUTCOMES = {
    ReviewSession.Population.FAILING: Outcome.FAILING,
    ReviewSession.Population.PASSING: Outcome.CORRECT,
    ReviewSession.Population.UNDECIDED: Outcome.UNDECIDED,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """What narrows a session. All that is set must hold; nothing set = the whole population."""

    labels: tuple[str, ...] = ()
    near: bool = False
    disagree: bool = False
    challenged: bool = False
    text: str = ""
    slice_name: str = ""
    slice_value: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what is set; an empty filter is an empty object: such a draw speaks for the whole run."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items() if value
        }


def frame_of(run: Run, population: str, narrowed: Filter) -> QuerySet[Query]:
    """Return the queries of the population that pass the filter."""
    queries = Query.objects.matching(run, _as_listed(population, narrowed))
    if narrowed.labels:
        filed = Suggestion.objects.current_in(run).filter(label__in=narrowed.labels)
        queries = queries.filter(pk__in=filed.values("query"))
    if narrowed.disagree:
        queries = queries.filter(pk__in=_disputed(run))
    if narrowed.challenged:
        challenges = GoldChallenge.objects.filter(query__run=run, state=GoldChallenge.State.OPEN)
        queries = queries.filter(pk__in=challenges.values("query"))
    return queries


def _as_listed(population: str, narrowed: Filter) -> QueryFilter:
    """Return what the list of queries asks for in the same words: a session holds what the list shows."""
    return QueryFilter(
        outcome=OUTCOMES[ReviewSession.Population(population)],
        near=narrowed.near,
        slice_key=narrowed.slice_name,
        slice_value=narrowed.slice_value,
        text=narrowed.text,
    )


def _disputed(run: Run) -> QuerySet[Score, Any]:
    """Return the queries on some claim of which one judge says supported and another says not, chunk by chunk."""
    moved = [When(judge__fingerprint=base, then=Value(at)) for base, at in run.judge_thresholds.items()]
    supports = Case(
        When(label=Support.SUPPORTED, then=Value(True)),
        When(~Q(label=""), then=Value(False)),
        When(value__gte=Case(*moved, default=F("judge__threshold")), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    words = Score.objects.filter(query__run=run, claim__isnull=False).exclude(value=None, label="")
    pairs = words.annotate(supports=supports).values("query", "claim", "chunk")
    return pairs.annotate(words=Count("supports", distinct=True)).filter(words=2).values("query")


def slices_of(run: Run) -> list[tuple[str, str]]:
    """Return the slices of the run's queries, the first 200 by name and value."""
    with connection.cursor() as cursor:
        cursor.execute(SLICES, [run.pk])
        return [(name, value) for name, value in cursor.fetchall()]


def reviewers_of(project: Project) -> QuerySet[User]:
    """Return who may review in the project, by name."""
    allowed = Role.at_least(Role.REVIEWER)
    return User.objects.filter(memberships__project=project, memberships__role__in=allowed).order_by("username")
