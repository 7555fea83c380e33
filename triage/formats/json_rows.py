"""JSON in whatever wrapping a tool puts it: lines, an array, an object with the list inside, one object over lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from triage.core.limits import Limits
from triage.core.records import RecordError
from triage.formats.errors import FileError
from triage.formats.json_text import decode
from triage.formats.lines import ArrayCutter, Line, lines

#: What may stand in a document before its list begins.
HEADER = 1024**2
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)


def json_rows(
    head: bytes, blocks: Iterator[bytes], limits: Limits, lists: tuple[str, ...] = ()
) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of every record; where one cannot be read, its `RecordError` stands for the value.

    `lists` are the names under which a document may hold its records.
    """
    for line in _cut(head, blocks, limits, lists):
        yield line.number, _value(line, limits)


def _value(line: Line, limits: Limits) -> Any:  # noqa: ANN401 - JSON
    try:
        return checked(line, limits)
    except RecordError as error:
        return error


def checked(line: Line, limits: Limits) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON value of a record.

    Raises:
        RecordError: it is too long, or no JSON.
    """
    if line.data is None:
        found, expected = f"{line.size:,} bytes", f"at most {limits.line_bytes:,} bytes"
        raise RecordError("(whole line)", found, expected, "Split the record, or leave out what is not needed.")
    return decode(line.data, line.offset, limits)[0]


def _cut(head: bytes, blocks: Iterator[bytes], limits: Limits, lists: tuple[str, ...]) -> Iterator[Line]:
    start = head.lstrip()
    if start.startswith(b"["):
        yield from _array(blocks, limits)
    elif start.startswith(b"{") and list_at(head, lists):
        yield from _array(_entered(blocks, lists), limits)
    elif start.startswith(b"{") and not _one_per_line(start):
        yield from ArrayCutter(limits.line_bytes).cut(_wrapped(blocks))
    else:
        yield from (line for line in lines(blocks, limits.line_bytes) if line.data is None or line.data.strip())


def _array(blocks: Iterator[bytes], limits: Limits) -> Iterator[Line]:
    cutter = ArrayCutter(limits.line_bytes)
    yield from cutter.cut(blocks)
    if not cutter.closed:
        remedy = "The file is cut off: write or download it again."
        raise FileError("cut_array", "a JSON list that is never closed", "a whole JSON file", remedy)


def _one_per_line(start: bytes) -> bool:
    """Say whether the first line is an object of its own, as far as one can see."""
    first, newline, _ = start.partition(b"\n")
    return not newline or first.rstrip().endswith(b"}")


def _wrapped(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield objects that follow each other as one array: how they are laid out does not matter then."""
    yield b"["
    yield from blocks
    yield b"]"


def list_at(data: bytes, names: tuple[str, ...]) -> int:
    """Return where the list begins that a document holds under one of these names; 0 where it is not in sight."""
    depth, key, named = 0, b"", False
    wanted = {name.encode() for name in names}
    for token in _TOKEN.finditer(data):
        mark = token[0]
        if mark in (b"{", b"["):
            if mark == b"[" and depth == 1 and named:
                return token.start()
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
        elif mark == b":":
            named = depth == 1 and key in wanted
            continue
        elif mark != b",":
            key = mark[1:-1]
            continue
        named = False
    return 0


def _entered(blocks: Iterator[bytes], names: tuple[str, ...]) -> Iterator[bytes]:
    """Yield a document from the beginning of its list on; what stands around the list is left out.

    The lines before the list are kept as newlines, so that line numbers stay true.
    """
    before = b""
    for block in blocks:
        before += block
        if at := list_at(before[:HEADER], names):
            yield b"\n" * before.count(b"\n", 0, at)
            yield before[at:]
            yield from blocks
            return
        if len(before) > HEADER:
            break
    wanted = " or ".join(names)
    raise FileError("no_list", "a JSON object without its list of records", f"a list named {wanted}", "Export again.")
