"""What a file has said of each chunk so far: tells new facts from repeats and contradictions, in bytes per chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from triage.core.records.chunk import CHUNK_FIELDS, ChunkRecord, told
from triage.core.records.content import fact
from triage.core.records.faults import RecordError, describe

_FIELDS = (*CHUNK_FIELDS, "meta")
_NUMBER = {name: number.to_bytes(1) for number, name in enumerate(_FIELDS)}
_TEXT = _NUMBER["text"][0]
#: One remembered fact: the field's number and seven bytes of its value's hash.
_SLOT = 8
#: Names of chunks without a text that are remembered, to list the first of them.
_NAMES_KEPT = 1_000

Details = dict[str, Any]


class Slot(Protocol):
    """A slot of a retrieval, whichever way it was read."""

    @property
    def id(self) -> str: ...

    def details(self) -> Details: ...


@dataclass(slots=True)
class Learned:
    """What one record adds: chunk id -> details not known before, their marks, and what contradicts."""

    new: dict[str, Details] = field(default_factory=dict)
    marks: dict[int, bytes] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)

    def facts(self) -> Iterator[bytes]:
        """Yield the hash of every new fact."""
        for key, details in self.new.items():
            for name, value in details.items():
                yield fact(key, name, value)


class Ledger:
    """Knows, for every chunk id of the file, which details it has and a short mark of each."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._nameless: dict[int, str] = {}

    def mention(self, keys: Iterable[str]) -> None:
        """Remember chunk ids that were named, with or without details."""
        for key in keys:
            number = hash(key)
            known = self._known.setdefault(number, b"")
            if not known and number not in self._nameless and len(self._nameless) < _NAMES_KEPT:
                self._nameless[number] = key

    def compare(self, mentions: Mapping[str, Details]) -> Learned:
        """Say what of these details is new. Nothing is taken in yet; what is known already stays as it is.

        Raises:
            RecordError: a chunk came with another text than before.
        """
        learned = Learned()
        for key, details in mentions.items():
            if details:
                self._compare(key, details, learned)
        return learned

    def _compare(self, key: str, details: Details, learned: Learned) -> None:
        number = hash(key)
        known = self._known.get(number, b"")
        new, marks = {}, b""
        for name, value in details.items():
            mark = _mark(name, value)
            before = _find(known, mark[0])
            if before is None:
                new[name] = value
                marks += mark
            elif before != mark and name == "text":
                raise _contradiction(key)
            elif before != mark:
                learned.differing.append(f"{key} {name}")
        if new:
            learned.new[key], learned.marks[number] = new, marks

    def take(self, learned: Learned) -> None:
        """Take in what `compare` found new."""
        for number, marks in learned.marks.items():
            self._known[number] = known = self._known.get(number, b"") + marks
            if number in self._nameless and _find(known, _TEXT) is not None:
                del self._nameless[number]
        for key in learned.new:
            number = hash(key)
            if number not in self._nameless and _find(self._known[number], _TEXT) is None:
                self._name(number, key)

    def _name(self, number: int, key: str) -> None:
        if len(self._nameless) < _NAMES_KEPT:
            self._nameless[number] = key

    def without_text(self) -> tuple[int, list[str]]:
        """Return how many of the ids named so far have no text, and the first of them by name."""
        count = sum(_find(known, _TEXT) is None for known in self._known.values())
        return count, list(self._nameless.values())

    def __len__(self) -> int:
        return len(self._known)


def _mark(name: str, value: object) -> bytes:
    """Return the field's number and seven bytes that tell its value from others within this process."""
    number = hash(value) if isinstance(value, str) else hash(repr(value))
    return _NUMBER[name] + number.to_bytes(_SLOT, signed=True)[1:]


def _find(known: bytes, number: int) -> bytes | None:
    for start in range(0, len(known), _SLOT):
        if known[start] == number:
            return known[start : start + _SLOT]
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


def slots(retrieved: Iterable[Slot]) -> dict[str, Details]:
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
