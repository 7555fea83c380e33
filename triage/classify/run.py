"""One pass over a run in batches of queries by id; each batch is one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction

from triage import journal
from triage.classify import rows
from triage.classify.reading import Basis, Chunks, Loaded, basis_of, load
from triage.classify.writing import Filed, write_metrics, write_outcomes, write_suggestions
from triage.core.classifier import classify as file_under
from triage.core.collector import frozen
from triage.core.correctness import SaidBy
from triage.core.metrics import QueryFacts, QueryMetrics, measure
from triage.core.policy import Policy
from triage.core.position import Positions
from triage.core.readings import Pair, read
from triage.core.recorded_scores import Measured, stand_in, usable
from triage.core.summary import Summariser
from triage.models import Judge, PolicyVersion, Project, Run
from triage.signals import run_classified

#: Outcome -> whether its queries are correct; None = undecided.
OUTCOMES = {"failing": False, "correct": True, "undecided": None}


@dataclass(slots=True)
class _Tally:
    """What a run sums up to, counted while its queries pass by."""

    summariser: Summariser = field(default_factory=Summariser)
    positions: Positions = field(default_factory=Positions)
    pair: Pair = field(default_factory=Pair)
    outcomes: Counter[bool | None] = field(default_factory=Counter)
    correct_by: Counter[SaidBy] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    judges: set[str] = field(default_factory=set)

    def add_all(self, batch: Sequence[tuple[QueryFacts, QueryMetrics]]) -> None:
        self.summariser.add_all(batch)
        for facts, metrics in batch:
            self.positions.add(facts)
            self.pair.add(facts, metrics)
            self.correct_by[facts.correct_by] += 1
            self.outcomes[facts.correct] += 1

    def as_json(self, policy: Policy) -> dict[str, Any]:
        """Return the run's stored summary."""
        metrics = self.summariser.result()
        return {
            "metrics": {key: asdict(summary) for key, summary in metrics.items()},
            "outcomes": {name: self.outcomes[correct] for name, correct in OUTCOMES.items()},
            "correct_by": {by.name.lower(): self.correct_by[by] for by in SaidBy},
            "classes": dict(self.classes),
            "readings": [asdict(reading) for reading in read(self.pair, metrics)],
            "position": [asdict(row) for row in self.positions.rows()],
            "policy": policy.model_dump(mode="json"),
            "judges": sorted(self.judges),
        }


def classify(run_id: int) -> dict[str, Any]:
    """Measure every query of the run under the project's policy, file the failing ones, store and return the summary.

    Safe to run twice and at the same time: batches lock their queries, the same basis is the same row.
    """
    run = Run.objects.select_related("project").get(pk=run_id)
    basis = basis_of(run, run.project.policy())
    tally, chunks, after = _Tally(), Chunks(), 0
    with frozen():
        while last := _classify_after(after, run, basis, tally, chunks):
            after = last
    summary = tally.as_json(basis.policy)
    Run.objects.filter(pk=run.pk).update(
        summary=summary, policy_fingerprint=basis.policy.fingerprint, gold_version=basis.gold_version
    )
    transaction.on_commit(lambda: run_classified.send(sender=Run, run_id=run.pk))
    return summary


@transaction.atomic
def _classify_after(after: int, run: Run, basis: Basis, tally: _Tally, chunks: Chunks) -> int:
    """Classify the next batch of queries; return the last one's id, 0 when there was none left."""
    queries = rows.next_queries(run, after, settings.CLASSIFY_BATCH_QUERIES)
    if not queries:
        return 0
    filed, loaded = [], load(queries, basis, chunks)
    batch = [measured(each, measure) for each in loaded]
    tally.add_all(batch)
    for each, (facts, metrics) in zip(loaded, batch, strict=True):
        if facts.correct is False:
            told = file_under(facts, metrics, basis.policy)
            tally.classes[told.label] += 1
            tally.judges.update(each.judges)
            filed.append(Filed(each, metrics, told))
    write_outcomes(loaded)
    write_metrics([(each.query.pk, metrics) for each, (_, metrics) in zip(loaded, batch, strict=True)])
    write_suggestions([query.pk for query in queries], filed, basis)
    return queries[-1].pk


def measured(loaded: Loaded, by: Callable[[QueryFacts], Measured]) -> tuple[QueryFacts, Measured]:
    """Return a query's facts and metrics by this measure, recorded scores standing in where ours cannot be computed."""
    scores = usable(loaded.query.scores)
    return stand_in(loaded.facts, by(loaded.facts), scores, claims_recorded=loaded.claims_recorded)


@transaction.atomic
def adopt(project: Project, policy: Policy, user_id: int | None = None) -> PolicyVersion:
    """Make this the policy of the project; adopting the current one again changes nothing."""
    newest = project.policy_versions.order_by("-pk").first()
    if newest and newest.fingerprint == policy.fingerprint:
        return newest
    for judge in Judge.objects.filter(fingerprint__in=policy.judge_thresholds):
        judge.named_at(policy.judge_thresholds[judge.fingerprint])
    body, before = policy.model_dump(mode="json"), project.policy().model_dump(mode="json")
    made = project.policy_versions.create(fingerprint=policy.fingerprint, body=body, adopted_by_id=user_id)
    fields = [name for name in body if body[name] != before.get(name)]
    journal.note(
        "policy.adopted",
        project,
        policy.fingerprint,
        old={name: before.get(name) for name in fields},
        new={name: body[name] for name in fields},
        by=user_id,
    )
    return made
