"""Runs with classes, verdicts and draws, built from counts: rows for the tests of reports."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Mapping
from typing import Any

from labeling.models import ReviewSession, SessionItem, Verdict
from labeling.settle import settle_queries
from tests.factories import digest, make_run
from triage.models import Project, Query, Run, Suggestion

_number = itertools.count(1)


def make_classified(project: Project | None = None, *, correct: int = 0, **classes: int) -> Run:
    """Return a classified run with so many failing queries of each class; ids q1 ... in file order."""
    labels = [label for label, count in classes.items() for _ in range(count)]
    number = next(_number)
    run = make_run(
        project,
        name=f"classified {number}",
        policy_fingerprint="3f9c21ab",
        pipeline="answers",
        counts={"queries": len(labels) + correct, "chunks": 0},
        summary={
            "metrics": {},
            "outcomes": {"failing": len(labels), "correct": correct, "undecided": 0},
            "classes": classes,
            "readings": [],
            "position": [],
            "policy": {},
        },
    )
    queries = Query.objects.bulk_create(
        Query(
            run=run,
            position=place,
            key=f"q{place}",
            key_hash=digest(f"q{place}"),
            question=f"Question {place}?",
            correct=place > len(labels),
            correct_in_file=place > len(labels),
            abstained=False,
        )
        for place in range(1, len(labels) + correct + 1)
    )
    Suggestion.objects.bulk_create(
        Suggestion(query=query, label=label, policy_fingerprint="3f9c21ab", basis=f"b{place}")
        for place, (query, label) in enumerate(zip(queries, labels, strict=False))
    )
    return run


def say(query: Query, label: str, sub_cause: str = "", **fields: Any) -> Verdict:
    """Store one verdict and settle its query."""
    suggestion = query.suggestions.filter(is_current=True).first()
    verdict = Verdict.objects.create(
        **{
            "query": query,
            "imported_reviewer": "ann",
            "label": label,
            "sub_cause": sub_cause,
            "stage": "imported",
            "blind": True,
            "idempotency_key": uuid.uuid4(),
            "suggested": suggestion.label if suggestion else "",
            **fields,
        }
    )
    settle_queries([query.pk])
    return verdict


def draw(run: Run, strata: Mapping[str, int], items: Mapping[int, str], **fields: Any) -> ReviewSession:
    """Make a random draw with these strata sizes and items (query id -> stratum)."""
    session = ReviewSession.objects.create(
        **{"run": run, "name": "draw", "drawn": "random", "frame": {"filter": {}}, "strata": dict(strata), **fields}
    )
    SessionItem.objects.bulk_create(
        SessionItem(session=session, query_id=query, position=place, stratum=stratum)
        for place, (query, stratum) in enumerate(items.items(), 1)
    )
    return session


def queries_of(run: Run, label: str) -> list[Query]:
    """Return the run's queries of an automatic class, in file order."""
    return list(run.queries.filter(suggestions__label=label, suggestions__is_current=True).order_by("position"))
