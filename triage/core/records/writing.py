"""Records -> lines of a run file, in one canonical spelling."""

from __future__ import annotations

from typing import Any

from triage.core.records.chunk import CHUNK_FIELDS, ChunkRecord
from triage.core.records.parsing import AnyRecord
from triage.core.records.query import QueryRecord

_SLOT: dict[str, Any] = dict.fromkeys((*CHUNK_FIELDS, "rank"), True)


def line(record: AnyRecord, *, inline_chunks: bool = False) -> str:
    """Return the record as one line of JSON, without the newline.

    Fields that say nothing are left out. Ranks are the order of the list. Chunk details stay inline only when
    asked for; else the chunks' own lines carry them.
    """
    if isinstance(record, QueryRecord):
        kind, left_out = "query", None if inline_chunks else {"retrieved": {"__all__": _SLOT}}
    else:
        kind, left_out = "chunk" if isinstance(record, ChunkRecord) else "run", None
    body = record.model_dump_json(exclude=left_out, exclude_defaults=True)
    return f'{{"kind":"{kind}"' + ("," + body[1:] if len(body) > 2 else "}")
