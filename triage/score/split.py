"""Claims for the answers that have none: cut from the answer, with the citations that stand in them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.db import transaction

from triage.core.citations import cites
from triage.core.claims import ClaimSpan, split
from triage.core.flags import Flag
from triage.core.policy import Policy
from triage.models import Chunk, Citation, Claim, Query, Retrieved, Run


def split_answers(run: Run, query_ids: Sequence[int]) -> int:
    """Cut the answers of these queries that have no claims; return how many claims were made.

    An answer that declines has none. The query rows are locked meanwhile: two workers cut an answer once.
    """
    with transaction.atomic():
        bare = Query.objects.select_for_update(of=("self",)).filter(
            pk__in=query_ids, run=run, claims__isnull=True, answer__isnull=False
        )
        wanting = [query for query in bare.order_by("pk") if _wants_claims(query)]
        if not wanting:
            return 0
        policy = run.project.policy()
        return sum(_split_one(run, query, policy) for query in wanting)


def _wants_claims(query: Query) -> bool:
    return not query.abstained and Flag.NO_CLAIMS_GIVEN not in query.flags


def _split_one(run: Run, query: Query, policy: Policy) -> int:
    spans = split(query.answer, policy)
    claims = Claim.objects.bulk_create(_claim(query, position, span) for position, span in enumerate(spans, 1))
    _cite(query, claims)
    return len(claims)


def _claim(query: Query, position: int, span: ClaimSpan) -> Claim:
    return Claim(
        query=query,
        position=position,
        text=span.text,
        text_hash=hashlib.sha256(span.text.encode()).digest(),
        span_start=span.start,
        span_end=span.end,
        source=Claim.Source.SPLIT,
    )


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
        for position, cited in enumerate(cites(claim.text, context, documents), 1)
    )
