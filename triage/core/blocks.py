"""The layout of an answer: paragraphs, list items, headings, table rows and code, each with its exact span.

Sentences are looked for inside one block at a time, so that a list, a table or a code fence is never cut by a
full stop and never runs into its neighbour. One pass over the lines; every step is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is; only text and items are cut into sentences."""

    TEXT = "text"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"
    TABLE_HEAD = "table_head"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """One block of an answer: `answer[start:end]`, without the bullet, number or quote mark before it."""

    kind: BlockKind
    start: int
    end: int


_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+•‣–]|\d{1,3}[.)])[ \t]+(?=\S)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_FENCE = re.compile(r"[ \t]{0,12}(```|~~~)")
_RULE = re.compile(r"[ \t]{0,3}(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*$")
_TABLE_LINE = re.compile(r"[ \t]{0,3}\|")
_TABLE_RULE = re.compile(r"[ \t]{0,3}\|[ \t:|-]+$")


def blocks(answer: str) -> list[Block]:
    """Return the blocks of `answer` in order. Blank lines and rules belong to none."""
    reader = _Reader()
    for start, line in _lines(answer):
        reader.read(start, line)
    reader.close()
    return reader.found


def _lines(answer: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, line) split at newline only: other separators may stand inside a sentence."""
    start = 0
    for line in answer.split("\n"):
        yield start, line.rstrip()
        start += len(line) + 1


class _Reader:
    """Turns lines into blocks; holds the block that is still open."""

    def __init__(self) -> None:
        self.found: list[Block] = []
        self._kind: BlockKind | None = None
        self._start = 0
        self._end = 0
        self._fence = ""

    def read(self, start: int, line: str) -> None:
        """Take the next line."""
        if self._fence:
            self._read_code(start, line)
        elif fence := _FENCE.match(line):
            self._open(BlockKind.CODE, start + fence.start(1), start + len(line))
            self._fence = fence.group(1)
        elif not line or _RULE.match(line):
            self.close()
        elif _TABLE_LINE.match(line):
            self._read_table(start, line)
        else:
            self._read_text(start, line)

    def close(self) -> None:
        """End the open block, if any."""
        if self._kind is not None:
            self.found.append(Block(self._kind, self._start, self._end))
        self._kind = None

    def _open(self, kind: BlockKind, start: int, end: int) -> None:
        self.close()
        self._kind, self._start, self._end = kind, start, end

    def _read_code(self, start: int, line: str) -> None:
        self._end = start + len(line) if line else self._end
        if line.lstrip().startswith(self._fence):
            self._fence = ""
            self.close()

    def _read_table(self, start: int, line: str) -> None:
        if _TABLE_RULE.match(line):
            if self._kind is BlockKind.ROW:
                self._kind = BlockKind.TABLE_HEAD
            self.close()
        else:
            self._open(BlockKind.ROW, start + len(line) - len(line.lstrip()), start + len(line))

    def _read_text(self, start: int, line: str) -> None:
        end = start + len(line)
        quote = _QUOTE.match(line)
        at = quote.end() if quote else 0
        if item := _ITEM.match(line, at):
            self._open(BlockKind.ITEM, start + item.end(), end)
        elif _HEADING.match(line, at):
            self._open(BlockKind.HEADING, start + at, end)
        elif self._kind in (BlockKind.TEXT, BlockKind.ITEM):
            self._end = end
        elif line[at:].strip():
            self._open(BlockKind.TEXT, start + len(line) - len(line[at:].lstrip()), end)
