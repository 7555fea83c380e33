"""The chunks of a run as rows: shared with the project's other runs where they are exactly the same.

A chunk is one row per content. While a file is being read, a chunk may first be only named and be described later,
or be described bit by bit. Each description is another content, hence another row: what pointed to the old row is
pointed to the new one, and a row that nobody needs any more goes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection

from triage.core.records import CHUNK_FIELDS
from triage.models import Chunk, RunChunk
from triage.models.copying import Ids, as_json, copy, copy_lines, hexed

Details = Mapping[str, Any]

_COLUMNS = ("id", "project_id", "key", "content_hash", "text_hash", *CHUNK_FIELDS, "meta")
#: Locked: nobody deletes a chunk that this import is about to point at.
_KNOWN = """
    SELECT content_hash, id FROM triage_chunk WHERE project_id = %(project)s AND content_hash = ANY(%(hashes)s::bytea[])
    FOR KEY SHARE
"""
_MOVE = (
    """UPDATE triage_runchunk AS held SET chunk_id = moved.new
       FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS moved(old, new)
       WHERE held.run_id = %(run)s AND held.chunk_id = moved.old""",
    """UPDATE triage_retrieved AS slot SET chunk_id = moved.new
       FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS moved(old, new), triage_query AS query
       WHERE slot.chunk_id = moved.old AND query.id = slot.query_id AND query.run_id = %(run)s""",
    """UPDATE triage_citation AS citation SET chunk_id = moved.new
       FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS moved(old, new),
         triage_claim AS claim, triage_query AS query
       WHERE citation.chunk_id = moved.old AND claim.id = citation.claim_id
         AND query.id = claim.query_id AND query.run_id = %(run)s""",
)
#: Made once: `json.dumps` makes one anew for every call that asks for anything out of the ordinary.
_IN_ORDER = json.JSONEncoder(sort_keys=True, default=str).encode
_NO_TEXT = hashlib.sha256(b"\x00no text").digest()


def sha256(text: str) -> bytes:
    """Return what the hash columns hold."""
    return hashlib.sha256(text.encode()).digest()


def content_hash(key: str, details: Details) -> bytes:
    """Return the hash over a chunk's key, text and everything else that is said of it."""
    return sha256(_IN_ORDER([key, details]))


class Corpus:
    """Chunk ids of one run -> rows. Remembers two small numbers per chunk."""

    def __init__(self, run: int, project: int) -> None:
        self._run, self._project = run, project
        self._rows: dict[int, int] = {}
        self._ids = Ids(Chunk)
        self._made: set[int] = set()
        self._replaced: set[int] = set()

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, key: str) -> int | None:
        """Return the row of a chunk the run has named, or None."""
        return self._rows.get(hash(key))

    def add(self, told: Mapping[str, Details]) -> None:
        """Make sure that every chunk of a batch has its row. `told`: chunk id -> what was newly said of it."""
        changed = {key: self._rows[hash(key)] for key, details in told.items() if details and hash(key) in self._rows}
        before = _read(changed.values())
        wanted = {
            key: {**before.get(changed.get(key, 0), {}), **details}
            for key, details in told.items()
            if key in changed or hash(key) not in self._rows
        }
        rows = self._rows_of(wanted)
        self._hold({key: row for key, row in rows.items() if key not in changed})
        self._move({changed[key]: rows[key] for key in changed if changed[key] != rows[key]})
        for key, row in rows.items():
            self._rows[hash(key)] = row

    def _rows_of(self, wanted: Mapping[str, Details]) -> dict[str, int]:
        """Return the row of each content: one the project has already, or a new one."""
        hashes = {key: content_hash(key, details) for key, details in wanted.items()}
        known = self._known(hashes.values())
        fresh = [key for key, digest in hashes.items() if digest not in known]
        ids = self._ids.take(len(fresh))
        copy(
            Chunk,
            _COLUMNS,
            (self._columns(number, key, hashes[key], wanted[key]) for number, key in zip(ids, fresh, strict=True)),
        )
        self._made.update(ids)
        known.update(zip((hashes[key] for key in fresh), ids, strict=True))
        return {key: known[digest] for key, digest in hashes.items()}

    def _known(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        # As text: the driver would write each of the thousands of hashes by a call of its own.
        listed = ",".join([f'"\\\\x{digest.hex()}"' for digest in hashes])
        with connection.cursor() as cursor:
            cursor.execute(_KNOWN, {"project": self._project, "hashes": f"{{{listed}}}"})
            return {bytes(digest): number for digest, number in cursor.fetchall()}

    def _columns(self, number: int, key: str, digest: bytes, details: Details) -> list[object]:
        text = details.get("text")
        text_hash = _NO_TEXT if text is None else sha256(text)
        told = [details.get(name, _BLANK[name]) for name in CHUNK_FIELDS]
        return [number, self._project, key, digest, text_hash, *told, as_json(details.get("meta", {}))]

    def _hold(self, rows: Mapping[str, int]) -> None:
        lines = (f"{self._run}\t{number}\t{hexed(sha256(key))}\n" for key, number in rows.items())
        copy_lines(RunChunk, ("run_id", "chunk_id", "key_hash"), lines)

    def _move(self, moved: Mapping[int, int]) -> None:
        if not moved:
            return
        self._replaced.update(moved)
        values: dict[str, Any] = {"old": list(moved), "new": list(moved.values()), "run": self._run}
        with connection.cursor() as cursor:
            for statement in _MOVE:
                cursor.execute(statement, values)

    def forget_replaced(self) -> None:
        """Delete the rows this import made and then replaced."""
        Chunk.objects.filter(pk__in=self._replaced & self._made).unused().delete()


_BLANK: dict[str, Any] = dict.fromkeys(CHUNK_FIELDS, "") | {
    "text": None,
    "tokens": None,
    "updated_at": None,
    "summary_of": [],
}


def _read(rows: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return what the chunk rows say, as a file would tell it."""
    found = Chunk.objects.in_bulk(list(rows))
    return {number: details_of(chunk) for number, chunk in found.items()}


def details_of(chunk: Chunk) -> dict[str, Any]:
    """Return what a chunk's row says beyond its id; blank columns were not said."""
    told = {name: getattr(chunk, name) for name in (*CHUNK_FIELDS, "meta")}
    return {
        name: value for name, value in told.items() if value not in (None, "", [], {}) or (name, value) == ("text", "")
    }
