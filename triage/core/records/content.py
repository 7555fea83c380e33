"""What a run says, as one hash: independent of JSON spelling, of where chunk texts stand, of what people added.

Queries count in their order. What is known of chunks is a set of (chunk, field, value) facts whose hashes are
added up, so it does not matter whether a fact stood on the chunk's own line or inline, early or late, once or
a hundred times. Human verdicts, marks on claims, gold challenges and claims that we split ourselves are left
out: they are added to a run, they are not what the run said.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from triage.core.records.chunk import CHUNK_FIELDS
from triage.core.records.plain import AnyQuery, PlainQuery, canonical
from triage.core.records.run import RunRecord

_FORMAT = b"run file 1"
_SLOT_ONLY: dict[str, Any] = dict.fromkeys((*CHUNK_FIELDS, "rank"), True)
_NOT_CONTENT: dict[str, Any] = {
    "human": True,
    "challenges": True,
    "claims_from": True,
    "retrieved": {"__all__": _SLOT_ONLY},
}
_GIVEN_CLAIMS: dict[str, Any] = {**_NOT_CONTENT, "claims": {"__all__": {"human": True}}}
_SPLIT_CLAIMS: dict[str, Any] = {**_NOT_CONTENT, "claims": True}
_WIDTH = 32
_MODULUS = 1 << (8 * _WIDTH)


class Content:
    """The running hash of a run. Feed it the accepted records in file order; `digest` may be asked at any time."""

    def __init__(self) -> None:
        self._queries = hashlib.sha256(_FORMAT)
        self._run = b""
        self._facts = 0

    def add_run(self, run: RunRecord) -> None:
        """Take in the `run` object."""
        self._run = run.model_dump_json(exclude_defaults=True).encode()

    def add_fact(self, fact: bytes) -> None:
        """Take in one hashed fact about a chunk that was not known before."""
        self._facts = (self._facts + int.from_bytes(fact)) % _MODULUS

    def add_query(self, body: bytes) -> None:
        """Take in a query in its canonical form; the facts about its chunks come by `add_fact`."""
        self._queries.update(len(body).to_bytes(8))
        self._queries.update(body)

    def digest(self) -> bytes:
        """Return the sha256 of everything taken in."""
        whole = hashlib.sha256(_FORMAT)
        whole.update(len(self._run).to_bytes(8) + self._run)
        whole.update(self._queries.digest())
        whole.update(self._facts.to_bytes(_WIDTH))
        return whole.digest()


def canonical_query(query: AnyQuery) -> bytes:
    """Return what a query itself says: no chunk details, no ranks (list order is rank), nothing people added."""
    if isinstance(query, PlainQuery):
        return canonical(query)
    left_out = _SPLIT_CLAIMS if query.claims_from == "split" else _GIVEN_CLAIMS
    return query.model_dump_json(exclude=left_out, exclude_defaults=True).encode()


def fact(key: str, name: str, value: object) -> bytes:
    """Return the hash of the fact that chunk `key` has this value in the field `name`."""
    body = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    told = f"{len(key)}:{key}{name}:{body}".encode()
    return hashlib.blake2b(told, digest_size=_WIDTH).digest()
