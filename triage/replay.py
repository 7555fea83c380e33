"""Verb: let a request count once. The first answer is kept for a day and given again to whoever asks the same again."""

from __future__ import annotations

from typing import Any

from triage.models import ApiToken, Replay


class ReusedError(Exception):
    """The key was used for another request."""


def begin(token: ApiToken, key: str, request_hash: str) -> tuple[Replay, bool]:
    """Return the kept answer of a key, and whether it is new: then the caller answers and calls `finish`.

    Within a transaction, a second request of the same key waits here until the first has ended; if that failed, it
    is the second's turn. Raises ReusedError.
    """
    made = Replay(token=token, key=key, request_hash=request_hash)
    Replay.objects.bulk_create([made], ignore_conflicts=True)
    kept = Replay.objects.get(token=token, key=key)
    if kept.request_hash != request_hash:
        raise ReusedError
    return kept, kept.status == 0


def finish(kept: Replay, status: int, body: dict[str, Any]) -> bool:
    """Keep the answer. False = somebody else answered first: theirs stands."""
    return Replay.objects.filter(pk=kept.pk, status=0).update(status=status, body=body) == 1


def find(token: ApiToken, key: str) -> Replay | None:
    """Return the answer kept for a key, if any."""
    return Replay.objects.filter(token=token, key=key).exclude(status=0).first()


def forget_old() -> int:
    """Remove answers nobody will ask for again; return how many."""
    return Replay.objects.old().delete()[0]
