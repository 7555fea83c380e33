"""Rows of the results: metrics replace each other, suggestions are kept and one per query is current.

The caller holds the locks of the batch's queries: nobody else writes results of these queries meanwhile, so what is
there can be looked at first and new rows go in by COPY.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from django.db import connection
from django.utils import timezone

from triage.classify import rows
from triage.classify.reading import Basis, Loaded
from triage.core.classifier import OTHERWISE, Classification
from triage.core.metrics import QueryMetrics as Measured
from triage.models import QueryMetrics, Suggestion
from triage.models.copying import as_json, copy

STORED = tuple(field.name for field in QueryMetrics._meta.concrete_fields if field.name not in {"query", "reasons"})
_STORED_OF = attrgetter(*STORED)
_MEASURED = attrgetter(*Measured.__slots__)
#: Made once: `json.dumps` makes one anew for every call that asks for anything out of the ordinary.
_IN_ORDER = json.JSONEncoder(sort_keys=True).encode
_SUGGESTION = (
    "query_id", "label", "would_be", "test", "value", "threshold", "margins", "near", "missing", "reasons",
    "proposed_sub_cause", "policy_fingerprint", "judges", "gold_version", "basis", "is_current", "created_at",
)  # fmt: skip
_FORGET = "DELETE FROM triage_querymetrics WHERE query_id = ANY(%s::bigint[])"
_OUTCOMES = """
    UPDATE triage_query q SET abstained = d.abstained, correct = d.correct, correct_by = d.correct_by
    FROM unnest(%s::bigint[], %s::boolean[], %s::boolean[], %s::text[]) AS d(id, abstained, correct, correct_by)
    WHERE q.id = d.id
"""


@dataclass(frozen=True, slots=True)
class Filed:
    """One failing query as measured and classified."""

    loaded: Loaded
    measured: Measured
    told: Classification


def write_metrics(measured: Sequence[tuple[int, Measured]]) -> None:
    """Store the metrics of these queries, by id, in place of the earlier ones."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, [rows.listed([query for query, _ in measured])])
    new = ([query, *_metrics_row(metrics)] for query, metrics in measured)
    copy(QueryMetrics, ("query_id", *STORED, "reasons"), new)


def _metrics_row(metrics: Measured) -> list[float | str | None]:
    """Return the stored numbers, None where there is none, and the reasons why as JSON."""
    values = _STORED_OF(metrics)
    # Written here, because names and reasons are words of ours that JSON holds as they stand.
    reasons = [f'"{name}": "{value}"' for name, value in zip(STORED, values, strict=True) if isinstance(value, str)]
    return [*[None if isinstance(value, str) else value for value in values], f"{{{', '.join(reasons)}}}"]


def write_outcomes(loaded: Sequence[Loaded]) -> None:
    """Store where a new policy or gold version or the match with a reference decides otherwise than the import did."""
    changed = [
        (query.pk, facts.abstained, facts.correct, facts.correct_by.value)
        for query, facts in ((each.query, each.facts) for each in loaded)
        if (query.abstained, query.correct, query.correct_by) != (facts.abstained, facts.correct, facts.correct_by)
    ]
    if changed:
        with connection.cursor() as cursor:
            cursor.execute(_OUTCOMES, [list(column) for column in zip(*changed, strict=True)])


def write_suggestions(batch: Sequence[int], results: Sequence[Filed], basis: Basis) -> None:
    """Make these the current suggestions of the batch; a query without one (no longer failing) has none.

    Twice is once: the same basis is the same row.
    """
    wanted = {filed.loaded.query.pk: (_fingerprint(filed, basis), filed) for filed in results}
    there, outdated, revived = set(), [], []
    for pk, query, mark, is_current in rows.suggestions(batch):
        is_wanted = query in wanted and wanted[query][0] == mark
        if is_wanted:
            there.add(query)
        if is_wanted and not is_current:
            revived.append(pk)
        if is_current and not is_wanted:
            outdated.append(pk)
    if outdated:  # first: one row per query is current
        Suggestion.objects.filter(pk__in=outdated).update(is_current=False)
    if revived:
        Suggestion.objects.filter(pk__in=revived).update(is_current=True)
    now = timezone.now().isoformat()
    new = ([*_row(filed, mark, basis), now] for query, (mark, filed) in wanted.items() if query not in there)
    copy(Suggestion, _SUGGESTION, new)


def _row(filed: Filed, mark: str, basis: Basis) -> list[object]:
    told = filed.told
    return [
        filed.loaded.query.pk, told.label, told.would_be, "" if told.test == OTHERWISE else told.test, told.value,
        told.threshold, as_json(told.margins), told.near, told.missing, as_json(list(told.reasons)),
        told.proposed_sub_cause, basis.policy.fingerprint, as_json(list(filed.loaded.judges)), basis.gold_version,
        mark, True,
    ]  # fmt: skip


def _fingerprint(filed: Filed, basis: Basis) -> str:
    """Return 16 hex digits over everything the result rests on."""
    measured = filed.measured
    rests_on = [
        basis.policy.fingerprint,
        filed.loaded.judges,
        basis.gold_version,
        dict(zip(Measured.__slots__, _MEASURED(measured), strict=True)),
        [filed.told.label, filed.told.would_be, filed.told.reasons, filed.told.proposed_sub_cause],
    ]
    return hashlib.sha256(_IN_ORDER(rests_on).encode()).hexdigest()[:16]
