"""A stream of bytes cut into records: lines ending in \\n and nothing else, or the elements of a JSON array."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_STRUCTURE = re.compile(rb'["{}\[\]]')
_IN_STRING = re.compile(rb'["\\]')
#: What may stand between the objects of an array.
_BETWEEN = b" \t\r\n,"
_QUOTED = 100


@dataclass(frozen=True, slots=True)
class Line:
    """One record's bytes. `number` is the line it begins on, from 1; `offset` its first byte (after decompression).

    `data` is None where the record is longer than the limit: it was skipped, `size` says how long it is.
    """

    number: int
    offset: int
    data: bytes | None
    size: int


class Cutter:
    """Collects the bytes of one record without keeping more than the limit."""

    def __init__(self, limit: int) -> None:
        self._limit, self._pieces = limit, [b""]
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Add the next bytes of the record; over the limit they are counted only."""
        self.size += len(piece)
        if self.size <= self._limit:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def take(self, number: int, offset: int) -> Line:
        """Return the record as a line and begin the next."""
        data = b"".join(self._pieces) if self.size <= self._limit else None
        line = Line(number, offset, data, self.size)
        self._pieces, self.size = [b""], 0
        return line


def lines(blocks: Iterable[bytes], limit: int) -> Iterator[Line]:
    """Yield the lines of a text, blank ones too. Only \\n ends a line: U+2028 and U+0085 stay inside."""
    cutter = Cutter(limit)
    number, offset = 1, 0
    for block in blocks:
        *whole, rest = block.split(b"\n")
        for piece in whole:
            cutter.add(piece)
            line = cutter.take(number, offset)
            yield line
            number, offset = number + 1, offset + line.size + 1
        cutter.add(rest)
    if cutter.size:
        yield cutter.take(number, offset)


class ArrayCutter:
    """Cuts the elements out of one JSON array, pretty-printed or not. Does not check what is inside them.

    Whatever stands between two objects beside a comma is handed out as a record of its own: it will be found
    faulty, and named with its line.
    """

    def __init__(self, limit: int) -> None:
        self._cutter = Cutter(limit)
        self._depth = 0
        self._in_string = self._escaped = False
        self._number, self._offset = 1, 0
        self._began: tuple[int, int] | None = None
        self._between = b""
        self.closed = False

    def cut(self, blocks: Iterable[bytes]) -> Iterator[Line]:
        """Yield the objects of the array, each with the line it begins on."""
        for block in blocks:
            yield from self._block(block)
            self._number += block.count(b"\n")
            self._offset += len(block)
        if self._began is not None:
            yield self._cutter.take(*self._began)

    def _block(self, block: bytes) -> Iterator[Line]:
        kept = at = 0
        while (mark := self._next(block, at)) is not None:
            at, before = mark + 1, self._depth
            self._step(block[mark])
            if before == 0:
                kept = at
            elif before == 1 and self._depth != 1:
                yield from self._gap(block[kept:mark], mark, block)
                kept = mark
                self._began = (self._number + block.count(b"\n", 0, mark), self._offset + mark) if self._depth else None
            elif before == 2 and self._depth == 1 and self._began is not None:
                self._cutter.add(block[kept:at])
                yield self._cutter.take(*self._began)
                kept, self._began = at, None
        self._keep(block[kept:])

    def _keep(self, rest: bytes) -> None:
        if self._began is not None:
            self._cutter.add(rest)
        elif self._depth == 1:
            self._between = (self._between + rest).strip(_BETWEEN)[:_QUOTED]

    def _gap(self, piece: bytes, mark: int, block: bytes) -> Iterator[Line]:
        between = (self._between + piece).strip(_BETWEEN)[:_QUOTED]
        self._between = b""
        if between:
            yield Line(self._number + block.count(b"\n", 0, mark), self._offset + mark, between, len(between))

    def _next(self, block: bytes, at: int) -> int | None:
        if self.closed:
            return None
        if self._escaped and at < len(block):
            self._escaped = False
            at += 1
        found = (_IN_STRING if self._in_string else _STRUCTURE).search(block, at)
        return found.start() if found else None

    def _step(self, mark: int) -> None:
        if mark == ord("\\"):
            self._escaped = True
        elif mark == ord('"'):
            self._in_string = not self._in_string
        else:
            self._depth += 1 if mark in b"{[" else -1
            self.closed = self._depth <= 0
