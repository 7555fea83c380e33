"""What would a run's classes be under another policy, or with a judge's threshold moved? Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from triage.classify.reading import Basis, Chunks, basis_of, load
from triage.classify.rows import QueryRow, next_failing
from triage.classify.run import measured
from triage.core.classifier import classify as file_under
from triage.core.collector import frozen
from triage.core.policy import Policy
from triage.models import Run


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
    chunks, after = Chunks(), 0
    with frozen():
        while batch := next_failing(run, after, settings.CLASSIFY_BATCH_QUERIES):
            found += _labels(batch, basis, chunks)
            after = batch[-1].pk
    return sorted(found, key=lambda one: one.position)


def _labels(batch: Sequence[QueryRow], basis: Basis, chunks: Chunks) -> list[WouldBe]:
    found = []
    for each in load(batch, basis, chunks):
        facts, metrics = measured(each)
        if facts.correct is False:
            label = file_under(facts, metrics, basis.policy).label
            found.append(WouldBe(each.query.pk, each.query.key, each.query.position, label))
    return found
