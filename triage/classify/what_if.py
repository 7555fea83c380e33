"""What would a run's classes be under another policy, or with a judge's threshold moved? Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from triage.classify.reading import Basis, basis_of, load
from triage.classify.run import measured
from triage.core.classifier import classify as file_under
from triage.core.policy import Policy
from triage.models import Query, Run


@dataclass(frozen=True, slots=True)
class WouldBe:
    """One failing query with the label it would have."""

    query_id: int
    key: str
    position: int
    label: str


def what_if(run: Run, policy: Policy) -> list[WouldBe]:
    """Return the label of every failing query under this policy, its moved judges included.

    The very functions of a classification decide, on the same rows, so a classification under the same policy files
    every query alike.
    """
    basis = basis_of(run, policy)
    found: list[WouldBe] = []
    after = 0
    while batch := _failing_after(run, after):
        found += _labels(batch, basis)
        after = batch[-1].pk
    return sorted(found, key=lambda one: one.position)


def _failing_after(run: Run, after: int) -> list[Query]:
    failing = Query.objects.filter(run=run, correct=False, pk__gt=after)
    return list(failing.order_by("pk")[: settings.CLASSIFY_BATCH_QUERIES])


def _labels(batch: Sequence[Query], basis: Basis) -> list[WouldBe]:
    found = []
    for each in load(batch, basis):
        facts, metrics = measured(each)
        if facts.correct is False:
            label = file_under(facts, metrics, basis.policy).label
            found.append(WouldBe(each.query.pk, each.query.key, each.query.position, label))
    return found
