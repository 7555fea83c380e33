"""Raising a challenge: what is wrong, and what it should be instead."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import GoldChallenge
from triage import journal
from triage.models import Query, Retrieved, RunChunk

Kind = GoldChallenge.Kind


class UnknownChunkError(Exception):
    """The chunk named is neither a slot of the prompt nor a chunk of the run."""


def raise_challenge(
    query: Query, user: User | None, kind: str, chunk: str = "", reference: str = "", note: str = ""
) -> GoldChallenge:
    """Store the challenge and return it; the same open challenge by the same person twice is one.

    `chunk` is a slot of the prompt (1 = first) or a chunk's key. Raises UnknownChunkError.
    """
    proposal = _proposal(query, Kind(kind), chunk.strip(), reference.strip())
    same = GoldChallenge.objects.filter(
        query=query, raised_by=user, kind=kind, proposal=proposal, state=GoldChallenge.State.OPEN
    ).first()
    return same or _store(query, user, kind=kind, proposal=proposal, note=note.strip())


@transaction.atomic
def _store(query: Query, user: User | None, **said: Any) -> GoldChallenge:
    """Write the challenge and the journal's row."""
    made = GoldChallenge.objects.create(query=query, raised_by=user, **said)
    new = {"run": query.run.key, "position": query.position, "kind": made.kind}
    journal.note("challenge.raised", query.run.project_id, made.pk, new=new, by=user)
    return made


def _proposal(query: Query, kind: Kind, chunk: str, reference: str) -> dict[str, object]:
    """Return what should become of the gold: chunk keys to add and remove, a reference, answerable or not."""
    keys = [_key(query, chunk)] if chunk and kind in {Kind.WRONG_CHUNK, Kind.MISSING_CHUNK} else []
    return {
        "add": keys if kind == Kind.MISSING_CHUNK else [],
        "remove": keys if kind == Kind.WRONG_CHUNK else [],
        "reference": reference or None,
    }


def _key(query: Query, chunk: str) -> str:
    """Return the key of the chunk named by slot or by key; a gold id without a chunk is a key too."""
    if chunk.isdecimal() and len(chunk) < 6:
        slots = Retrieved.objects.filter(query=query, in_context=True).order_by("rank")
        keys = list(slots.values_list("chunk__key", flat=True))
        if 1 <= int(chunk) <= len(keys):
            return keys[int(chunk) - 1]
    hashed = sha256(chunk.encode()).digest()
    if chunk in (query.gold or []) or RunChunk.objects.filter(run=query.run_id, key_hash=hashed).exists():
        return chunk
    raise UnknownChunkError(chunk)
