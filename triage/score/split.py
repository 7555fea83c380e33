"""Claims for the answers that have none: cut from the answer, with the citations that stand in them."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.db import transaction

from triage.core.atomic import AtomicClaim, ClaimCutter, Cut
from triage.core.citations import cites
from triage.core.claims import ClaimSpan, split
from triage.core.flags import Flag
from triage.core.policy import DEFAULT_POLICY, Policy
from triage.models import Chunk, Citation, Claim, Query, Retrieved, Run

#: Where the first claim of an answer keeps what a model's cut came to.
CUT = "cut"


def split_answers(
    run: Run, query_ids: Sequence[int], cutter: ClaimCutter | None = None, until: float = math.inf
) -> set[int]:
    """Cut the answers of these queries that have no claims; return the queries there was no time left for.

    An answer that declines has none. The query rows are locked while claims are written: two workers cut an answer
    once. `until`: a point of the monotonic clock after which no model is asked any more.
    """
    bare = Query.objects.filter(pk__in=query_ids, run=run, claims__isnull=True, answer__isnull=False)
    cuts, late = _cuts(bare.order_by("pk"), cutter, until) if cutter else ({}, set[int]())
    with transaction.atomic():
        locked = bare.select_for_update(of=("self",)).exclude(pk__in=late).order_by("pk")
        wanting = [query for query in locked if _wants_claims(query)]
        policy = run.project.policy() if wanting else DEFAULT_POLICY
        for query in wanting:
            _split_one(query, policy, cuts.get(query.pk))
    return late


def _cuts(queries: Iterable[Query], cutter: ClaimCutter, until: float) -> tuple[dict[int, Cut], set[int]]:
    """Have a model cut the answers while there is time; return the cuts, and the queries it was too late for."""
    cuts, late = dict[int, Cut](), set[int]()
    for query in queries:
        if not _wants_claims(query) or not (query.answer or "").strip():
            continue
        if time.monotonic() > until:
            late.add(query.pk)
        else:
            cuts[query.pk] = cutter.cut(query.answer or "")
    return cuts, late


def _wants_claims(query: Query) -> bool:
    return not query.abstained and Flag.NO_CLAIMS_GIVEN not in query.flags


def _split_one(query: Query, policy: Policy, cut: Cut | None) -> None:
    """Write the claims of a model's cut, or of the sentences where there is none that can be used."""
    usable = cut.claims if cut else ()
    spans: Sequence[ClaimSpan | AtomicClaim] = usable or split(query.answer, policy)
    rows = [_claim(query, position, span) for position, span in enumerate(spans, 1)]
    if cut and rows:
        # Once an answer: who cut it, or failed to, and what that cost.
        rows[0].meta = {CUT: {name: value for name, value in asdict(cut).items() if name != "claims"}}
    _cite(query, Claim.objects.bulk_create(rows))


def _claim(query: Query, position: int, span: ClaimSpan | AtomicClaim) -> Claim:
    return Claim(
        query=query,
        position=position,
        text=span.text,
        text_hash=hashlib.sha256(span.text.encode()).digest(),
        span_start=span.start,
        span_end=span.end,
        source=Claim.Source.SPLIT,
    )


def _words(query: Query, claim: Claim) -> str:
    """Return the words of the answer that a claim was drawn from: its citations stand there."""
    return (query.answer or "")[claim.span_start : claim.span_end]


def _cite(query: Query, claims: Sequence[Claim]) -> None:
    """Store the citations written in the claims."""
    slots = list(Retrieved.objects.filter(query=query).order_by("rank").select_related("chunk"))
    chunks: dict[str, Chunk] = {slot.chunk.key: slot.chunk for slot in slots}
    context = [slot.chunk.key for slot in slots if slot.in_context]
    documents = {key: chunk.document or None for key, chunk in chunks.items()}
    Citation.objects.bulk_create(
        Citation(
            claim=claim,
            position=position,
            cited=cited.chunk,
            chunk=None if cited.whole_document else chunks.get(cited.chunk),
            whole_document=cited.whole_document,
        )
        for claim in claims
        for position, cited in enumerate(cites(_words(query, claim), context, documents), 1)
    )
