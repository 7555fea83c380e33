"""Queries as the judges are shown them: read from rows, a batch at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from triage.core.judging import ChunkText, ClaimText, GroundingItem, RelevanceItem
from triage.core.recorded_scores import usable
from triage.models import Chunk, Claim, Query, Retrieved, Run


@dataclass(frozen=True, slots=True)
class ChunkFacts:
    """The row of a chunk, and the hash of its text that the cache compares."""

    pk: int
    text_hash: bytes


@dataclass(frozen=True, slots=True)
class Case:
    """One query: what the judges are asked, and where their words belong. Claim keys are primary keys as text."""

    query: int
    item: GroundingItem
    claim_hashes: Mapping[str, bytes]
    #: By chunk key, sources of summaries included: a key names one chunk within a run.
    chunks: Mapping[str, ChunkFacts]
    #: Summary chunk of the prompt -> keys of the passages it was made from.
    made_from: Mapping[str, tuple[str, ...]]
    #: Those of the passages that have a text and do not stand in the prompt themselves.
    source_texts: Mapping[str, ChunkText]
    #: None: nothing to rate, because the answer declines or is none.
    relevance: RelevanceItem | None


def read_cases(run: Run, query_ids: Sequence[int]) -> list[Case]:
    """Return the cases of these queries of the run, in file order, in a number of statements that does not grow."""
    queries = list(Query.objects.filter(run=run, pk__in=query_ids).order_by("position"))
    claims = defaultdict(list)
    for claim in Claim.objects.filter(query__in=queries, is_current=True).order_by("query_id", "position", "pk"):
        claims[claim.query_id].append(claim)
    contexts = _contexts(run, queries, claims)
    sources = _sources(run, [chunk for chunks in contexts.values() for chunk in chunks])
    return [_case(query, claims[query.pk], contexts[query.pk], sources) for query in queries]


def _case(query: Query, claims: Sequence[Claim], chunks: Sequence[Chunk], sources: Mapping[str, Chunk]) -> Case:
    texts = tuple(ClaimText(str(claim.pk), claim.text, _recorded(claim)) for claim in claims)
    shown = {chunk.key: chunk for chunk in chunks}  # a duplicate slot holds the same chunk: it is read once
    item = GroundingItem(
        str(query.pk), query.question, texts, tuple(ChunkText(key, chunk.text) for key, chunk in shown.items())
    )
    made_from = {key: tuple(chunk.summary_of) for key, chunk in shown.items() if chunk.text and chunk.summary_of}
    wanted = {key for keys in made_from.values() for key in keys} & sources.keys() - shown.keys()
    known = {**shown, **{key: sources[key] for key in wanted}}
    return Case(
        query=query.pk,
        item=item,
        claim_hashes={str(claim.pk): bytes(claim.text_hash) for claim in claims},
        chunks={key: ChunkFacts(chunk.pk, bytes(chunk.text_hash)) for key, chunk in known.items()},
        made_from=made_from,
        source_texts={key: ChunkText(key, sources[key].text) for key in wanted},
        relevance=_relevance(query),
    )


def _recorded(claim: Claim) -> tuple[tuple[str | None, str | None, float | None], ...]:
    return tuple((word.get("chunk"), word.get("label"), word.get("score")) for word in claim.recorded)


def _relevance(query: Query) -> RelevanceItem | None:
    if query.abstained or query.answer is None or not query.answer.strip():
        return None
    ours = (score for score in usable(query.scores) if score.metric == "answer_relevance" and not score.tool)
    first = next(ours, None)
    return RelevanceItem(str(query.pk), query.question, query.answer, first.value if first else None)


def _contexts(run: Run, queries: Sequence[Query], claims: Mapping[int, Sequence[Claim]]) -> dict[int, list[Chunk]]:
    """Return the chunks of each query's context in slot order; each chunk row is read once for the batch."""
    slots = Retrieved.objects.filter(query__in=queries, in_context=True).order_by("query_id", "rank")
    pairs = list(slots.values_list("query_id", "chunk_id"))
    fields = ("key", "text", "text_hash", "summary_of")
    rows = Chunk.objects.only(*fields).in_bulk({chunk for _, chunk in pairs})
    contexts: dict[int, list[Chunk]] = {query.pk: [] for query in queries}
    for query, chunk in pairs:
        contexts[query].append(rows[chunk])
    for query_row in queries:
        if not query_row.retrieval_known:
            contexts[query_row.pk] = _named_chunks(run, claims.get(query_row.pk, ()))
    return contexts


def _sources(run: Run, chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    """Return the passages that the summaries among these chunks were made from, where the run holds their texts."""
    keys = {key for chunk in chunks for key in chunk.summary_of}
    if not keys:
        return {}
    hashes = [sha256(key.encode()).digest() for key in keys]
    found = Chunk.objects.filter(run_chunks__run=run, run_chunks__key_hash__in=hashes, text__regex=r"\S")
    return {chunk.key: chunk for chunk in found.only("key", "text", "text_hash")}


def _named_chunks(run: Run, claims: Sequence[Claim]) -> list[Chunk]:
    """Return the chunks that recorded verdicts name where the file does not say what was retrieved.

    Their texts stay out: they are no context, so no other judge may read them.
    """
    keys = {word.get("chunk") for claim in claims for word in claim.recorded} - {None}
    named = Chunk.objects.filter(run_chunks__run=run, key__in=keys).only("key", "text_hash")
    return [Chunk(pk=chunk.pk, key=chunk.key, text=None, text_hash=chunk.text_hash) for chunk in named]
