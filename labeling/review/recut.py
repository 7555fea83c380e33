"""Cutting claims anew: split, merge, edit. Old claims stay for their history, with the verdicts given on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from django.db import transaction

from labeling.review.decision import InvalidError
from triage import journal
from triage.models import Citation, Claim, Query, Scoring

CLAIM_LIMIT = 5_000


@transaction.atomic
def recut(query: Query, wanted: Mapping[int, str]) -> int:
    """Cut the claims of a query as `wanted` says (claim id -> text); return how many old claims were replaced.

    A blank line in a text splits it; a blank text merges the claim into the one before; other words edit it. Claims
    left as they are keep their row, their scores and their verdicts. The query wants to be scored again after a
    change. Raises InvalidError when a claim was changed by somebody else meanwhile, or nothing would be left.
    """
    list(Query.objects.filter(pk=query.pk).select_for_update(no_key=True).values_list("pk"))
    claims = list(Claim.objects.filter(query=query, is_current=True).order_by("position", "pk"))
    if set(wanted) != {claim.pk for claim in claims}:
        raise InvalidError({"claims": "The claims were changed since this page was opened. Look at them again."})
    groups = _groups(claims, wanted)
    replaced = [(old, pieces) for old, pieces in groups if not _is_unchanged(old, pieces)]
    for old, pieces in replaced:
        _replace(query, old, pieces)
    if replaced:
        cut = {"replaced": sum(len(old) for old, _ in replaced), "by": sum(len(pieces) for _, pieces in replaced)}
        journal.note("claims.recut", query.run.project_id, f"{query.run.key}/{query.position}", new=cut)
        Scoring.objects.filter(query=query).update(done_at=None, attempts=0, quarantined="", leased_until=None)
    return sum(len(old) for old, _ in replaced)


def _groups(claims: Sequence[Claim], wanted: Mapping[int, str]) -> list[tuple[list[Claim], list[str]]]:
    """Return runs of old claims with the texts that take their place."""
    groups: list[tuple[list[Claim], list[str]]] = []
    for claim in claims:
        pieces = [piece for piece in _pieces(wanted[claim.pk]) if piece]
        if not pieces and not groups:
            raise InvalidError({"claims": "The first claim has none before it to be merged into."})
        if not pieces:
            old, texts = groups[-1]
            groups[-1] = ([*old, claim], [*texts[:-1], f"{texts[-1]} {claim.text}"])
            continue
        if any(len(piece) > CLAIM_LIMIT for piece in pieces):
            raise InvalidError({"claims": f"A claim has up to {CLAIM_LIMIT:,} characters."})
        groups.append(([claim], pieces))
    return groups


def _pieces(text: str) -> list[str]:
    """Return the texts between blank lines."""
    lines = text.replace("\r\n", "\n").strip().split("\n\n")
    return [line.strip() for line in lines]


def _is_unchanged(old: Sequence[Claim], pieces: Sequence[str]) -> bool:
    return len(old) == 1 and list(pieces) == [old[0].text.replace("\r\n", "\n").strip()]


def _replace(query: Query, old: Sequence[Claim], pieces: Sequence[str]) -> None:
    """Write the new claims at the old ones' place; the old ones stay as history."""
    cited = Citation.objects.filter(claim__in=old).order_by("claim", "position")
    cites = list({(one.cited, one.chunk_id, one.whole_document): one for one in cited}.values())
    answer, at = query.answer or "", old[0].span_start or 0
    for text in pieces:
        start = answer.find(text, at)
        at = start + len(text) if start >= 0 else at
        claim = Claim.objects.create(
            query=query,
            position=old[0].position,
            text=text,
            text_hash=sha256(text.encode()).digest(),
            span_start=start if start >= 0 else None,
            span_end=at if start >= 0 else None,
            source=Claim.Source.PERSON,
        )
        Citation.objects.bulk_create(
            Citation(claim=claim, position=n, cited=c.cited, chunk_id=c.chunk_id, whole_document=c.whole_document)
            for n, c in enumerate(cites, 1)
        )
        for each in old:
            each.replaced_by.add(claim)
    Claim.objects.filter(pk__in=[claim.pk for claim in old]).update(is_current=False)
