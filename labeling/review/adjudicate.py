"""Deciding what people could not agree on: one more row, final at once, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from labeling.codebook import codebook_of
from labeling.models import Outcome, Verdict
from labeling.models.verdicts import Stage
from labeling.review.decision import InvalidError
from labeling.settle import settle_queries
from triage import journal
from triage.core.labels import VERDICT_LABELS
from triage.models import Query, Run, Suggestion


@dataclass(frozen=True, slots=True)
class Ruling:
    """A final word with its reason. `key` is made with the page: the same ruling twice is one."""

    label: str
    sub_cause: str
    reason: str
    key: UUID


@transaction.atomic
def adjudicate(query: Query, user: User, ruling: Ruling) -> Verdict:
    """Store the final verdict of a query; an earlier one stays as history. Raises InvalidError."""
    list(Query.objects.filter(pk=query.pk).select_for_update(no_key=True).values_list("pk"))
    known = Verdict.objects.filter(idempotency_key=ruling.key).first()
    if known is not None:
        return known
    codebook = codebook_of(query.run.project)
    if ruling.label not in VERDICT_LABELS or not codebook.has(ruling.label, ruling.sub_cause):
        raise InvalidError({"label": "Choose a label, and a sub-cause that belongs to it."})
    if not ruling.reason:
        raise InvalidError({"reason": "Say why: the reviewers will read it."})
    earlier = Verdict.objects.filter(query=query, stage=Stage.ADJUDICATED, is_current=True)
    before = earlier.values("label", "sub_cause").first()
    earlier.update(is_current=False)
    filed = Suggestion.objects.filter(query=query, is_current=True).first()
    verdict = Verdict.objects.create(
        query=query,
        reviewer=user,
        label=ruling.label,
        sub_cause=ruling.sub_cause,
        note=ruling.reason,
        stage=Stage.ADJUDICATED,
        blind=False,
        suggested=filed.label if filed else "",
        policy_fingerprint=filed.policy_fingerprint if filed else "",
        gold_version=filed.gold_version if filed else query.run.gold_version,
        codebook_version=codebook.version,
        idempotency_key=ruling.key,
    )
    settle_queries([query.pk])
    new = {"label": ruling.label, "sub_cause": ruling.sub_cause}
    journal.note(
        "query.adjudicated", query.run.project_id, f"{query.run.key}/{query.position}", old=before, new=new, by=user
    )
    return verdict


def disputed(run: Run) -> list[Query]:
    """Return the queries that need adjudication, in file order, their current verdicts counted."""
    wanting = Outcome.objects.filter(query__run=run, state=Outcome.State.NEEDS_ADJUDICATION)
    return list(run.queries.filter(pk__in=wanting.values("query")).order_by("position"))


def contradictory(run: Run) -> list[Verdict]:
    """Return the current verdicts whose label and claim marks disagree, insisted on by the reviewer."""
    rows = Verdict.objects.filter(query__run=run, is_current=True, conflicts=True)
    return list(rows.select_related("query", "reviewer").order_by("query__position", "pk"))
