"""What would a run's classes be under another policy, or with a judge's threshold moved? Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from triage.classify.reading import Basis, load, says_nothing_of_correctness
from triage.classify.run import measured
from triage.core.classifier import classify as file_under
from triage.core.judging import Task
from triage.core.policy import Policy
from triage.models import GoldRevision, Judge, Query, Run


@dataclass(frozen=True, slots=True)
class WouldBe:
    """One failing query with the label it would have."""

    query_id: int
    key: str
    position: int
    label: str


def what_if(run: Run, policy: Policy, thresholds: Mapping[str, float] | None = None) -> list[WouldBe]:
    """Return the label of every failing query under this policy, `thresholds` (judge fingerprint -> threshold) moved.

    The very functions of a classification decide, on the same rows, so a classification under the same policy and
    thresholds files every query alike.
    """
    moved = thresholds or {}
    basis = Basis(
        grounding=_moved(Judge.objects.asked_in(run, Task.GROUNDING), moved),
        relevance=_moved(Judge.objects.asked_in(run, Task.RELEVANCE), moved),
        policy=policy,
        gold=GoldRevision.objects.current(run),
        by_match=says_nothing_of_correctness(run),
    )
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


def _moved(judges: Sequence[Judge], thresholds: Mapping[str, float]) -> list[Judge]:
    """Return the judges, never saved, with the thresholds moved; each keeps its id, so that its scores are found."""
    listed = list(judges)
    for judge in listed:
        judge.threshold = thresholds.get(judge.fingerprint, judge.threshold)
    return listed
