"""Rows of the results: metrics replace each other, suggestions are kept and one per query is current."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from triage.classify.reading import Basis, Loaded
from triage.core.classifier import OTHERWISE, Classification
from triage.core.metrics import Missing, QueryFacts
from triage.core.metrics import QueryMetrics as Measured
from triage.models import Query, QueryMetrics, Suggestion

STORED = tuple(field.name for field in QueryMetrics._meta.concrete_fields if field.name not in {"query", "reasons"})


@dataclass(frozen=True, slots=True)
class Filed:
    """One failing query as measured and classified."""

    loaded: Loaded
    measured: Measured
    told: Classification


def write_metrics(measured: Sequence[tuple[Query, Measured]]) -> None:
    """Store the metrics of these queries in place of the earlier ones."""
    rows = [_metrics_row(query, metrics) for query, metrics in measured]
    QueryMetrics.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["query"], update_fields=[*STORED, "reasons"]
    )


def _metrics_row(query: Query, metrics: Measured) -> QueryMetrics:
    values = {name: getattr(metrics, name) for name in STORED}
    reasons = {name: str(value) for name, value in values.items() if isinstance(value, Missing)}
    numbers = {name: None if isinstance(value, Missing) else value for name, value in values.items()}
    return QueryMetrics(query=query, reasons=reasons, **numbers)


def write_outcomes(decided: Sequence[tuple[Query, QueryFacts]]) -> None:
    """Store where a new policy or gold version or the match with a reference decides otherwise than the import did."""
    changed = []
    for query, facts in decided:
        now = (facts.abstained, facts.correct, facts.correct_by)
        if (query.abstained, query.correct, query.correct_by) != now:
            query.abstained, query.correct, query.correct_by = now
            changed.append(query)
    Query.objects.bulk_update(changed, ["abstained", "correct", "correct_by"])


def write_suggestions(batch: Sequence[int], results: Sequence[Filed], basis: Basis) -> None:
    """Make these the current suggestions of the batch; a query without one (no longer failing) has none.

    Twice is once: the same basis is the same row. The caller holds the locks of the batch's queries.
    """
    rows = {filed.loaded.query.pk: _row(filed, basis) for filed in results}
    current = dict(Suggestion.objects.filter(query__in=batch, is_current=True).values_list("query_id", "basis"))
    changed = {pk: row for pk, row in rows.items() if current.get(pk) != row.basis}
    outdated = [pk for pk in current if pk in changed or pk not in rows]
    if changed:
        Suggestion.objects.bulk_create(changed.values(), ignore_conflicts=True)
    if outdated:
        Suggestion.objects.filter(query__in=outdated, is_current=True).update(is_current=False)
    if changed:
        known = Suggestion.objects.filter(query__in=changed).values_list("pk", "query_id", "basis")
        Suggestion.objects.filter(pk__in=[pk for pk, query, basis in known if basis == changed[query].basis]).update(
            is_current=True
        )


def _row(filed: Filed, basis: Basis) -> Suggestion:
    told = filed.told
    return Suggestion(
        query=filed.loaded.query,
        label=told.label,
        would_be=told.would_be,
        test="" if told.test == OTHERWISE else told.test,
        value=told.value,
        threshold=told.threshold,
        margins=told.margins,
        near=told.near,
        missing=told.missing,
        reasons=list(told.reasons),
        proposed_sub_cause=told.proposed_sub_cause,
        policy_fingerprint=basis.policy.fingerprint,
        judges=list(filed.loaded.judges),
        gold_version=basis.gold_version,
        basis=_fingerprint(filed, basis),
        is_current=False,
    )


def _fingerprint(filed: Filed, basis: Basis) -> str:
    """Return 16 hex digits over everything the result rests on."""
    rests_on = [
        basis.policy.fingerprint,
        filed.loaded.judges,
        basis.gold_version,
        asdict(filed.measured),
        [filed.told.label, filed.told.would_be, filed.told.reasons, filed.told.proposed_sub_cause],
    ]
    return hashlib.sha256(json.dumps(rests_on, sort_keys=True).encode()).hexdigest()[:16]
