"""What would a run's classes be under another policy, or with a judge's threshold moved? Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from triage.classify.reading import Basis, Chunks, basis_of, load
from triage.classify.rows import QueryRow, next_failing
from triage.classify.run import measured
from triage.core.classifier import label_of
from triage.core.collector import frozen
from triage.core.metrics import measure_deciding
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

    The very tests of a classification decide, on the same rows, so a classification under the same policy files every
    query alike; what no class rests on (citations, the other metrics, reasons) is neither read nor computed.
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
    loaded = load(batch, basis, chunks, with_citations=False)
    return [
        WouldBe(
            query_id=each.query.pk,
            key=each.query.key,
            position=each.query.position,
            label=label_of(*measured(each, measure_deciding), basis.policy),
        )
        for each in loaded
        if each.facts.correct is False
    ]
