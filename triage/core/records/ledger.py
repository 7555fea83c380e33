"""What a file has said of each chunk so far: tells new facts from repeats and contradictions, in bytes per chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from triage.core.records.chunk import CHUNK_FIELDS, ChunkRecord, RetrievedRecord, told
from triage.core.records.content import facts
from triage.core.records.faults import RecordError, describe

_FIELDS = (*CHUNK_FIELDS, "meta")
_NUMBER = {name: number.to_bytes(1) for number, name in enumerate(_FIELDS)}
_TEXT = _NUMBER["text"][0]
#: One remembered fact: the field's number and the first bytes of the fact's hash.
_SLOT = 8
#: Names of chunks without a text that are remembered, to list the first of them.
_NAMES_KEPT = 1_000

Details = dict[str, Any]


@dataclass(slots=True)
class Learned:
    """What one record added: chunk id -> details not known before, their hashes, and what contradicts."""

    new: dict[str, Details] = field(default_factory=dict)
    hashes: dict[str, dict[str, bytes]] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)

    def facts(self) -> Iterator[bytes]:
        """Yield the hash of every new fact."""
        for hashes in self.hashes.values():
            yield from hashes.values()


class Ledger:
    """Knows, for every chunk id of the file, which details it has and a short hash of each."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._nameless: dict[int, str] = {}

    def mention(self, keys: Iterable[str]) -> None:
        """Remember chunk ids that were named without any detail."""
        for key in keys:
            number = hash(key)
            if number not in self._known:
                self._known[number] = b""
                self._without_text(number, key)

    def _without_text(self, number: int, key: str) -> None:
        if len(self._nameless) < _NAMES_KEPT:
            self._nameless[number] = key

    def learn(self, mentions: Mapping[str, Details]) -> Learned:
        """Take in details of chunks; what was known already stays as it was.

        Raises:
            RecordError: a chunk came with another text than before. Nothing is taken in then.
        """
        learned = Learned()
        for key, details in mentions.items():
            self._compare(key, details, learned)
        for key, hashes in learned.hashes.items():
            self._remember(key, hashes)
        return learned

    def _compare(self, key: str, details: Details, learned: Learned) -> None:
        known = self._known.get(hash(key), b"")
        for name, fact in facts(key, details).items():
            before = _find(known, _NUMBER[name][0])
            if before is None:
                learned.new.setdefault(key, {})[name] = details[name]
                learned.hashes.setdefault(key, {})[name] = fact
            elif before != fact[: _SLOT - 1] and name == "text":
                raise _contradiction(key)
            elif before != fact[: _SLOT - 1]:
                learned.differing.append(f"{key} {name}")

    def _remember(self, key: str, hashes: Mapping[str, bytes]) -> None:
        number = hash(key)
        known = self._known.get(number, b"")
        self._known[number] = known + b"".join(_NUMBER[name] + fact[: _SLOT - 1] for name, fact in hashes.items())
        if "text" in hashes:
            self._nameless.pop(number, None)
        elif not known:
            self._without_text(number, key)

    def without_text(self) -> tuple[int, list[str]]:
        """Return how many of the ids named so far have no text, and the first of them by name."""
        count = sum(_find(known, _TEXT) is None for known in self._known.values())
        return count, list(self._nameless.values())

    def __len__(self) -> int:
        return len(self._known)


def _find(known: bytes, number: int) -> bytes | None:
    for start in range(0, len(known), _SLOT):
        if known[start] == number:
            return known[start + 1 : start + _SLOT]
    return None


def _contradiction(key: str) -> RecordError:
    return RecordError(
        "text",
        f"another text for chunk {describe(key).removesuffix(', a string')} than before",
        "one text per chunk id in a file",
        "Give the changed chunk an id of its own.",
    )


def chunk_line(chunk: ChunkRecord) -> dict[str, Details]:
    """Return what a chunk's own line says."""
    details = told(chunk)
    return {chunk.id: {**details, "meta": chunk.meta} if chunk.meta else details}


def slots(retrieved: Iterable[RetrievedRecord]) -> dict[str, Details]:
    """Return what the slots of one query say of their chunks, merged.

    Raises:
        RecordError: two slots of the query give the same chunk different texts.
    """
    merged: dict[str, Details] = {}
    for number, slot in enumerate(retrieved):
        details = slot.details()
        before = merged.setdefault(slot.id, details)
        if before is details:
            continue
        if "text" in before and details.get("text", before["text"]) != before["text"]:
            fault = _contradiction(slot.id)
            raise RecordError(f"retrieved[{number}].text", fault.found, fault.expected, fault.remedy)
        merged[slot.id] = {**details, **before}
    return merged
