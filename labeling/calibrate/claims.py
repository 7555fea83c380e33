"""Claim support: people's marks beside one judge's words, per claim and chunk or per claim, as people gave them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef

from labeling.core.consensus import GivenVerdict, is_supported, settle
from labeling.core.items import Item, majority
from labeling.models import ClaimVerdict
from labeling.models.verdicts import Stage
from triage.core.labels import Support
from triage.core.support import Word, decide, word
from triage.models import Judge, Project, Retrieved, Score

FIRST = (Stage.FIRST, Stage.IMPORTED)
#: Texts of answers and chunks and the summaries of runs stay in the database.
READ = (
    "label",
    "blind",
    "stage",
    "is_current",
    "reviewer_id",
    "imported_reviewer",
    "chunk__key",
    "verdict__note",
    "claim__text",
    "claim__query__key",
    "claim__query__position",
    "claim__query__retrieval_known",
    "claim__query__slices",
    "claim__query__run__key",
    "claim__query__run__gold_version",
)
#: claim -> chunk (None = the claim against its whole context)
Place = tuple[int, int | None]


@dataclass(slots=True)
class _Marks:
    """What people said of one place."""

    claim: Any
    chunk: str = ""
    first: dict[str, str] = field(default_factory=dict)
    current: list[GivenVerdict] = field(default_factory=list)
    note: str = ""


def claim_items(project: Project, judge: Judge) -> list[Item]:
    """Return every marked claim (or claim and chunk) that this judge scored, in a fixed order."""
    marks = _marks(project, judge)
    claims = {claim for claim, _ in marks}
    said = _said(claims, judge)
    contexts = _contexts({row.claim.query_id for (_, chunk), row in marks.items() if chunk is None})
    items = [_item(place, row, said, contexts, judge) for place, row in marks.items()]
    return sorted(items, key=lambda item: (item.query, item.key, item.run))


def _marks(project: Project, judge: Judge) -> dict[Place, _Marks]:
    scored = Score.objects.filter(claim=OuterRef("claim"), judge__in=judge.voices)
    rows = (
        ClaimVerdict.objects.filter(Exists(scored), claim__query__run__project=project, withdrawn=False)
        .select_related("claim__query__run", "chunk", "verdict")
        .only(*READ)
        .order_by("pk")
    )
    by_person: defaultdict[tuple[int, str], list[ClaimVerdict]] = defaultdict(list)
    for row in rows:
        by_person[row.claim_id, row.imported_reviewer or str(row.reviewer_id)].append(row)
    found: dict[Place, _Marks] = {}
    for (claim, person), given in by_person.items():
        pairwise = _is_pairwise(given)
        for row in given:
            place = (claim, row.chunk_id if pairwise else None)
            _add(found.setdefault(place, _Marks(row.claim)), row, person, pairwise)
    return found


def _is_pairwise(given: list[ClaimVerdict]) -> bool:
    """Say whether one person's marks on a claim are about single chunks.

    Files may tell claim and chunk pair by pair: several chunks, or a chunk that does not support. A reviewer here
    marks the claim, and names the chunk it rests on.
    """
    imported = [row for row in given if row.stage == Stage.IMPORTED and row.chunk_id is not None]
    return len({row.chunk_id for row in imported}) > 1 or any(row.label == Support.UNSUPPORTED for row in imported)


def _add(marks: _Marks, row: ClaimVerdict, person: str, pairwise: bool) -> None:
    if row.chunk is not None and pairwise:
        marks.chunk = row.chunk.key
    if row.blind and row.stage in FIRST:
        marks.first.setdefault(person, row.label)
    if row.is_current:
        adjudicated = row.stage == Stage.ADJUDICATED
        marks.current.append(GivenVerdict(person, row.label, row.label, blind=row.blind, adjudicated=adjudicated))
    if row.verdict is not None and row.verdict.note:
        marks.note = row.verdict.note


def _said(claims: Iterable[int], judge: Judge) -> dict[int, list[tuple[int | None, Word, float | None]]]:
    rows = Score.objects.filter(judge__in=judge.voices, claim__in=claims).order_by("pk")
    said: defaultdict[int, list[tuple[int | None, Word, float | None]]] = defaultdict(list)
    for claim, chunk, key, value, label in rows.values_list("claim_id", "chunk_id", "chunk__key", "value", "label"):
        said[claim].append((chunk, word(key, value, label, judge.threshold), value))
    return said


def _contexts(queries: Iterable[int]) -> dict[int, frozenset[str]]:
    rows = Retrieved.objects.filter(query__in=queries, in_context=True).values_list("query_id", "chunk__key")
    keys: defaultdict[int, set[str]] = defaultdict(set)
    for query, key in rows:
        keys[query].add(key)
    return {query: frozenset(found) for query, found in keys.items()}


def _item(
    place: Place,
    marks: _Marks,
    said: dict[int, list[tuple[int | None, Word, float | None]]],
    contexts: dict[int, frozenset[str]],
    judge: Judge,
) -> Item:
    claim_id, chunk_id = place
    query = marks.claim.query
    heard = said.get(claim_id, [])
    if chunk_id is None:
        context = contexts.get(query.pk) if query.retrieval_known else None
        decided = decide([(judge.fingerprint, [each for _, each, _ in heard])], context).supported
        scores = [value for _, each, value in heard if value is not None and _counts(each, context)]
        score = max(scores, default=None)
    else:
        own = [(each, value) for chunk, each, value in heard if chunk == chunk_id]
        decided = own[0][0].supports if own else None
        score = own[0][1] if own else None
    final = settle(marks.current)
    return Item(
        query=query.key,
        key=f"{query.key}\x1f{marks.claim.text}\x1f{marks.chunk}",
        human=majority([is_supported(label) for label in marks.first.values()]),
        judge=decided,
        score=score,
        run=query.run.key,
        position=query.position,
        claim_id=claim_id,
        claim=marks.claim.text,
        chunk=marks.chunk,
        labels=tuple(sorted(marks.first.items())),
        final=final.label,
        adjudicated=final.standing.value == "adjudicated",
        note=marks.note,
        slices=tuple(sorted((str(name), str(value)) for name, value in query.slices.items())),
        gold_version=query.run.gold_version,
    )


def _counts(each: Word, context: frozenset[str] | None) -> bool:
    return each.chunk is None or context is None or each.chunk in context
