"""Ids that come twice in a file: the same again is a notice, anything else an error."""

from __future__ import annotations

import hashlib

from triage.core.records import ChunkRecord, QueryRecord, RecordError, describe

_LINE_BITS = 40


class Repeats:
    """Remembers each query and chunk line in two small numbers."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def seen(self, record: QueryRecord | ChunkRecord, line: int) -> bool:
        """Say whether the very same record was on an earlier line; remember it if not.

        Raises:
            RecordError: the id was used before with other content.
        """
        kind = "query" if isinstance(record, QueryRecord) else "chunk"
        body = record.model_dump_json(exclude_defaults=True).encode()
        digest = int.from_bytes(hashlib.blake2b(body, digest_size=8).digest())
        packed = digest << _LINE_BITS | line
        before = self._seen.setdefault(hash((kind, record.id)), packed)
        if before == packed:
            return False
        if before >> _LINE_BITS == digest:
            return True
        first = before & ((1 << _LINE_BITS) - 1)
        name = describe(record.id).removesuffix(", a string")
        remedy = f"Give the second {kind} its own id, or remove it."
        raise RecordError(
            "id", f"{name} again, other content than on line {first:,}", "an id used once in the file", remedy
        )
