"""One run, maybe against another, as a release note."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from labeling.core.note import QUALITY, Metric, Population, ReleaseNote, SubCause
from labeling.core.release_note import class_table
from labeling.report.counts import Counted, counted
from labeling.report.judges import judges_used
from labeling.report.people import agreement
from labeling.report.previous import Comparison, compare_with, previous_of
from triage.core.policy import DEFAULT_TARGETS
from triage.core.review import Corrected, FoundCause, ReviewState
from triage.models import Run
from triage.models.closing import closure_checks


class NotClassifiedError(Exception):
    """The run has no classes yet. The message says what to do."""


def report(run: Run, against: Run | None = None) -> ReleaseNote:
    """Return the release note of a classified run, against the run named or the release before.

    The same rows give the same note: the clock decides only whether a judge has become stale. Raises
    NotClassifiedError before the run's first classification.
    """
    if not run.summary:
        raise NotClassifiedError(f"Run {run.name} is not classified yet: it is {run.get_state_display().lower()}.")
    found = counted(run)
    before = against or previous_of(run)
    comparison = compare_with(run, before) if before else None
    people, machine = agreement(run)
    outcomes = run.summary["outcomes"]
    population = Population(outcomes["failing"], outcomes["correct"], outcomes["undecided"], run.decided_by_match)
    return ReleaseNote(
        project=run.project.name,
        pipeline=run.pipeline,
        evaluation_set=run.evaluation_set,
        run=run.key,
        name=run.name,
        release=run.release,
        population=population,
        accuracy=population.accuracy(),
        accuracy_after=population.accuracy_after_review(found.counts),
        sub_causes=found.sub_causes,
        drawn=found.drawn,
        audited=found.audited,
        metrics=metrics_of(run),
        recall_k=recall_k(run),
        people=people,
        machine=machine,
        closure=tuple(closure_checks(run, review_state(found), classes=found.counts.automatic)),
        policy=run.policy_fingerprint,
        judges=judges_used(run, timezone.now()),
        gold_version=run.gold_version,
        **_beside(found, comparison, run.project.owners),
    )


def _beside(found: Counted, comparison: Comparison | None, owners: dict[str, str]) -> dict[str, Any]:
    """Return the parts of the note that the previous release takes part in."""
    if comparison is None:
        table = class_table(found.counts, None, owners)
        return {"table": table, "previous": "", "previous_run": "", "why_not_comparable": "", "paired": None}
    table = class_table(
        found.counts,
        counted(comparison.run).counts,
        owners,
        comparable=not comparison.why_not_comparable,
        moves=comparison.moves,
    )
    return {
        "table": table,
        "previous": comparison.run.release or comparison.run.name,
        "previous_run": comparison.run.key,
        "why_not_comparable": comparison.why_not_comparable,
        "paired": comparison.paired,
    }


def review_state(found: Counted) -> ReviewState:
    """Return what people found, as the machine's pages show it."""
    estimates = found.counts.correction.estimates if found.counts.correction else {}
    return ReviewState(
        reviewed=found.counts.reviewed,
        confirmed=found.counts.confirmed,
        passing_reviewed=found.counts.audited,
        missed_failures=found.counts.missed,
        corrected={label: Corrected(one.value, one.low, one.high) for label, one in estimates.items()},
        causes=tuple(_cause(row) for row in found.sub_causes),
        drawn=found.drawn,
        audited=found.audited,
    )


def _cause(row: SubCause) -> FoundCause:
    made = None
    if row.corrected is not None and row.low is not None and row.high is not None:
        made = Corrected(row.corrected, row.low, row.high)
    return FoundCause(row.label, row.sub_cause, row.confirmed, made, row.among)


def metrics_of(run: Run) -> tuple[Metric, ...]:
    """Return the run-level metrics as last measured, each with its target."""
    targets = {**DEFAULT_TARGETS, **(run.project.targets or {}), **(run.targets or {})}
    return tuple(
        Metric(
            key=key,
            title=QUALITY.get(key, key.replace("_", " ")),
            value=told["value"],
            low=told["low"],
            high=told["high"],
            n=told["n"],
            left_out=told["left_out"],
            target=targets.get(key),
        )
        for key, told in run.summary["metrics"].items()
    )


def recall_k(run: Run) -> str:
    """Return the k that the recall was measured at, as words; a serving k that differs is said."""
    k, serving = run.config.get("k"), run.evaluation_set_facts.get("serving_k")
    words = f"at k {k}" if k else "(k not said)"
    return f"{words} (serving k {serving}: different k)" if k and serving and k != serving else words
