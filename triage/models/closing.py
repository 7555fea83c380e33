"""The closure checks of a run, from its rows as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from django.db.models import Count

from triage.core.closure import Check, Outcomes, Review, adds_up, partition, tokens_agree, unchanged, under_ceiling
from triage.core.labels import FailureLabel
from triage.core.policy import DEFAULT_POLICY
from triage.core.review import ReviewState
from triage.core.summary import Summary
from triage.models.queries import Query
from triage.models.runs import Run
from triage.models.scores import QueryMetrics, Suggestion
from triage.models.slices import SliceRow, sliced
from triage.models.uploads import Upload

#: A recall is a count of gold ids over another; its exact fraction has a denominator of at most this.
LARGEST_GOLD = 10_000
#: Hex digits of the content hash that a sentence shows.
SHOWN_DIGITS = 12


def closure_checks(
    run: Run,
    review: ReviewState | None = None,
    rows: list[SliceRow] | None = None,
    outcomes: Outcomes | None = None,
    classes: Mapping[str, int] | None = None,
) -> list[Check]:
    """Return the five closure checks, in their order. `rows`: the slices to check, else those of the first key.

    `outcomes`, `classes`: the run's, where the caller has counted them just now.
    """
    outcomes = outcomes or Query.objects.outcomes(run)
    classes = Suggestion.objects.classes(run) if classes is None else classes
    return [
        adds_up(
            classes, outcomes, run.counts.get("queries", outcomes.queries), _people(review), by=run.correct_by_words
        ),
        _ceiling(run, classes.get(FailureLabel.RETRIEVAL_MISS, 0)),
        _slices(run, outcomes, rows),
        tokens_agree(Run.objects.arms_of(run)),
        _unchanged(run, outcomes),
    ]


def _people(review: ReviewState | None) -> Review | None:
    if review is None or not (review.final or review.passing_reviewed):
        return None
    return Review(review.confirmed.get("not_a_failure", 0), review.missed_failures)


def _ceiling(run: Run, misses: int) -> Check:
    recalls = QueryMetrics.objects.filter(query__run=run, context_recall__isnull=False)
    counts: dict[Fraction, int] = {}
    for recall, count in recalls.values_list("context_recall").annotate(Count("pk")):
        exact = Fraction(recall or 0).limit_denominator(LARGEST_GOLD)
        counts[exact] = counts.get(exact, 0) + count
    told = run.summary.get("metrics", {}).get("context_recall")
    stated = Summary(**told) if told else Summary(None, 0, {})
    threshold = run.summary.get("policy", {}).get("context_recall", DEFAULT_POLICY.context_recall)
    return under_ceiling(counts, stated, threshold, misses)


def _slices(run: Run, outcomes: Outcomes, rows: list[SliceRow] | None) -> Check:
    shown = sliced(run).rows if rows is None else rows
    if not shown:
        return Check("slices", True, "The file names no slices: the run is one.")
    return partition(shown[0].key, {row.name: row.outcomes for row in shown}, outcomes)


def _unchanged(run: Run, outcomes: Outcomes) -> Check:
    imported = {name: run.counts[name] for name in ("queries", "chunks") if name in run.counts}
    stored = {"queries": outcomes.queries, "chunks": run.run_chunks.count()}
    imports = Upload.objects.filter(run=run, state=Upload.State.DONE).count()
    digits = bytes(run.content_hash).hex()[:SHOWN_DIGITS]
    return unchanged(imported, {name: stored[name] for name in imported}, digits, max(imports, 1))
