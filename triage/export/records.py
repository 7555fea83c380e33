"""Rows -> records, in file order, a batch at a time: importing them again gives a run of the same content."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from triage.core.flags import Flag
from triage.core.records import CHUNK_FIELDS, ChunkRecord, QueryRecord, Remarks, RunRecord, parse
from triage.core.records.writing import line
from triage.export.people import Nobody, People
from triage.models import Chunk, Citation, Claim, Query, Retrieved, Run

AT_ONCE = 500
_PLAIN = ("question", "answer", "reference", "answerable", "gold", "gold_from", "conversation", "human_scores")
_MORE = ("latency_ms", "context_tokens", "reranker", "cost", "trace_id", "url", "meta")


def lines_of(run: Run, people: People | None = None) -> Iterator[str]:
    """Yield the lines of a run file, each with its newline: the run, its chunks, its queries."""
    head = head_of(run)
    if head is not None:
        yield f"{line(head)}\n"
    for chunk in chunks_of(run):
        yield f"{line(chunk)}\n"
    for query in queries_of(run, people):
        yield f"{line(query)}\n"


def head_of(run: Run) -> RunRecord | None:
    """Return the run's own line; None where its file had none. A name the file did not give is not written."""
    if not run.counts.get("run_lines", 1):
        return None
    told = {
        "kind": "run",
        "name": run.name if run.counts.get("named", 1) else None,
        "pipeline": run.pipeline,
        "release": run.release,
        "config": run.config,
        "started_at": run.started_at,
        "evaluation_set": run.evaluation_set_facts or None,
        "prices": run.prices or None,
        "targets": run.targets,
        "meta": run.meta,
    }
    return cast("RunRecord", parse(told, Remarks(), storable_text=True))


def chunks_of(run: Run) -> Iterator[ChunkRecord]:
    """Yield the run's chunks by their ids."""
    found = Chunk.objects.filter(run_chunks__run=run).order_by("key", "pk")
    for chunk in found.iterator(chunk_size=AT_ONCE):
        yield _chunk(chunk)


def _chunk(chunk: Chunk) -> ChunkRecord:
    told = {name: getattr(chunk, name) for name in (*CHUNK_FIELDS, "meta")}
    return cast("ChunkRecord", parse({"kind": "chunk", "id": chunk.key, **told}, Remarks(), storable_text=True))


def record_of(query: Query) -> dict[str, Any]:
    """Return one query as the object of its line, without a word of people: not everybody may see those yet."""
    told: dict[str, Any] = json.loads(line(next(_records([query], Nobody()))))
    for name in ("human", "human_scores", "challenges"):
        told.pop(name, None)
    for claim in told.get("claims") or []:
        if isinstance(claim, dict):
            claim.pop("human", None)
    return told


def chunks_beside(query: Query) -> list[dict[str, Any]]:
    """Return the chunks retrieved for a query, by rank, as the objects of their lines."""
    slots = Retrieved.objects.filter(query=query).select_related("chunk").order_by("rank")
    return [json.loads(line(_chunk(slot.chunk))) for slot in slots]


def queries_of(run: Run, people: People | None = None) -> Iterator[QueryRecord]:
    """Yield the run's queries in file order."""
    walk = run.queries.order_by("position").iterator(chunk_size=AT_ONCE)
    while batch := list(islice(walk, AT_ONCE)):
        yield from _records(batch, people or Nobody())


def _records(queries: Sequence[Query], people: People) -> Iterator[QueryRecord]:
    ids = [query.pk for query in queries]
    slots, claims = _slots(ids), _claims(ids, people)
    verdicts, challenges = people.verdicts(ids), people.challenges(ids)
    for query in queries:
        told = {name: getattr(query, name) for name in (*_PLAIN, *_MORE)} | {
            "id": query.key,
            "retrieved": slots[query.pk] if query.retrieval_known else None,
            "correct": query.correct_in_file,
            "abstained": query.abstained_in_file,
            "scores": [{name: value for name, value in score.items() if name != "usable"} for score in query.scores],
            "human": [*query.human, *verdicts.get(query.pk, [])],
            "challenges": [*query.challenges, *challenges.get(query.pk, [])],
            "slice": query.slices,
            **_claims_told(query, claims[query.pk]),
        }
        yield cast("QueryRecord", parse(told, Remarks(), storable_text=True))


def _slots(ids: Sequence[int]) -> defaultdict[int, list[dict[str, Any]]]:
    names = ("score", "rerank_score", "in_context", "meta")
    slots: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = Retrieved.objects.filter(query__in=ids).order_by("query", "rank")
    for query, key, *values in rows.values_list("query_id", "chunk__key", *names):
        slots[query].append({"id": key, **dict(zip(names, values, strict=True))})
    return slots


def _claims(ids: Sequence[int], people: People) -> defaultdict[int, list[tuple[Claim, dict[str, Any]]]]:
    marks, cites = people.marks(ids), _cites(ids)
    claims: defaultdict[int, list[tuple[Claim, dict[str, Any]]]] = defaultdict(list)
    for claim in Claim.objects.filter(query__in=ids).order_by("query", "position", "pk"):
        span = None if claim.span_start is None or claim.span_end is None else [claim.span_start, claim.span_end]
        told = {
            "text": claim.text,
            "span": span,
            "cites": cites[claim.pk],
            "verdicts": claim.recorded,
            "human": [*claim.human, *marks.get(claim.pk, [])],
            "meta": claim.meta,
        }
        claims[claim.query_id].append((claim, told))
    return claims


def _cites(ids: Sequence[int]) -> defaultdict[int, list[str]]:
    cites: defaultdict[int, list[str]] = defaultdict(list)
    rows = Citation.objects.filter(claim__query__in=ids).order_by("claim", "position", "pk")
    for claim, cited in rows.values_list("claim_id", "cited"):
        cites[claim].append(cited)
    return cites


def _claims_told(query: Query, claims: Iterable[tuple[Claim, dict[str, Any]]]) -> dict[str, Any]:
    """Return the claims the file gave, edited since or not; else those we split, marked as such."""
    given = [told for claim, told in claims if claim.source == Claim.Source.FILE]
    if given or Flag.NO_CLAIMS_GIVEN in query.flags:
        return {"claims": given}
    ours = [told for claim, told in claims if claim.is_current]
    return {"claims": ours, "claims_from": "split"} if ours else {}
