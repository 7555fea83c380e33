"""Notes first: what reviewers wrote before there were categories, turned into labels and sub-causes by a lead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from labeling.models import Verdict
from labeling.models.verdicts import Stage
from labeling.review.adjudicate import Ruling, adjudicate
from triage.models import Run

#: Names the keys: the same note turned into the same words by the same person is one ruling.
_NAMESPACE = UUID("0f6a53cf-7f2c-4d0e-9f4e-52a2a2b4b9d1")
#: How far back the saturation counter looks.
LAST = 20


@dataclass(frozen=True, slots=True)
class Saturation:
    """Of the last read queries, how many brought a (label, sub-cause) nobody had seen before."""

    new: int
    last: int
    read: int


def noted(run: Run) -> QuerySet[Verdict]:
    """Return the current notes without a label on queries nobody has ruled on, in file order."""
    ruled = Verdict.objects.filter(query__run=run, is_current=True, stage=Stage.ADJUDICATED).values("query")
    rows = Verdict.objects.filter(query__run=run, is_current=True, label="").exclude(note="").exclude(query__in=ruled)
    return rows.select_related("query", "reviewer").order_by("query__position", "pk")


@transaction.atomic
def categorise(run: Run, user: User, verdict_ids: Iterable[int], label: str, sub_cause: str) -> int:
    """Rule that these notes mean this label and sub-cause; the note is the reason. Raises InvalidError."""
    notes = list(noted(run).filter(pk__in=list(verdict_ids)))
    for note in notes:
        key = uuid5(_NAMESPACE, f"{user.pk}/{note.pk}/{label}/{sub_cause}")
        adjudicate(note.query, user, Ruling(label, sub_cause, note.note, key))
    return len(notes)


def saturation(run: Run) -> Saturation:
    """Say whether reading on still brings new kinds of failure."""
    rows = Verdict.objects.filter(query__run=run, is_current=True, withdrawn=False).exclude(label="")
    rows = rows.exclude(stage=Stage.ROUND).order_by("pk")
    seen: set[tuple[str, str]] = set()
    is_new: dict[int, bool] = {}
    for query, label, sub_cause in rows.values_list("query_id", "label", "sub_cause"):
        is_new[query] = is_new.get(query, False) or (label, sub_cause) not in seen
        seen.add((label, sub_cause))
    last = list(is_new.values())[-LAST:]
    return Saturation(new=sum(last), last=len(last), read=len(is_new))
