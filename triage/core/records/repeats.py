"""Ids that come twice in a file: the same again is a notice, anything else an error."""

from __future__ import annotations

import hashlib

from triage.core.records.chunk import ChunkRecord
from triage.core.records.faults import RecordError, describe
from triage.core.records.plain import AnyQuery, PlainQuery

_LINE_BITS = 40
_PEOPLE = {"human", "challenges", "claims"}


class Repeats:
    """Remembers each query and chunk line in two small numbers."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def seen(self, record: AnyQuery | ChunkRecord, body: bytes, line: int) -> bool:
        """Say whether the very same record was on an earlier line; remember it if not.

        `body` is the record's canonical form, without what people added.

        Raises:
            RecordError: the id was used before with other content.
        """
        kind = "chunk" if isinstance(record, ChunkRecord) else "query"
        digest = int.from_bytes(hashlib.blake2b(body + _people(record), digest_size=8).digest())
        packed = digest << _LINE_BITS | line
        before = self._seen.setdefault(hash((kind, record.id)), packed)
        if before == packed:
            return False
        if before >> _LINE_BITS == digest:
            return True
        first = before & ((1 << _LINE_BITS) - 1)
        name = describe(record.id).removesuffix(", a string")
        found = f"{name} again, other content than on line {first:,}"
        remedy = f"Give the second {kind} its own id, or remove it."
        raise RecordError("id", found, "an id used once in the file", remedy)


def _people(record: AnyQuery | ChunkRecord) -> bytes:
    """Return what people added to a record: the same answer with another verdict is not the same line."""
    if isinstance(record, ChunkRecord | PlainQuery):
        return b""
    if not (record.human or record.challenges or any(claim.human for claim in record.claims or ())):
        return b""
    return record.model_dump_json(include=_PEOPLE, exclude_defaults=True).encode()
