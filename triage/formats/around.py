"""What stands in a JSON document beside its list of records: read from its beginning and its end, not as a whole."""

from __future__ import annotations

import io
import json
import re
from collections import deque
from itertools import islice
from typing import Any

from triage.formats.stream import GZIP, ZSTD, Readable

#: Bytes at the end of a file that are looked through.
TAIL = 256 * 1024
#: Places of a name that are tried at either end: each costs a look at all that stands there.
TRIED = 16
_MARKS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def tail_of(stream: Readable) -> bytes:
    """Return the last bytes of a file and leave it where it was; blank for a stream that cannot go back, or gzip."""
    if not (hasattr(stream, "seek") and hasattr(stream, "tell")):
        return b""
    if hasattr(stream, "seekable") and not stream.seekable():
        return b""
    at = stream.tell()
    try:
        stream.seek(0)
        if stream.read(4).startswith((GZIP, ZSTD)):
            return b""
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - TAIL))
        return stream.read(TAIL)
    finally:
        stream.seek(at)


def member(name: str, head: bytes, tail: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a document's own member of this name, from its first or its last bytes; None where it is not.

    A member of the same name deeper in the document is another one: depth is counted from the document's ends.
    """
    key = re.compile(b'"' + re.escape(name.encode()) + rb'"\s*:\s*')
    for found in islice(key.finditer(head), TRIED):
        if _depth(head[: found.start()]) == 1:
            return _value(head[found.end() :])
    for found in deque(key.finditer(tail), TRIED):
        if _depth(tail[found.end() :]) == -1:
            return _value(tail[found.end() :])
    return None


def _depth(text: bytes) -> int:
    """Return how many more brackets are opened than closed, those in texts left out."""
    marks = [found[0] for found in _MARKS.finditer(text)]
    return sum(mark in (b"{", b"[") for mark in marks) - sum(mark in (b"}", b"]") for mark in marks)


def _value(text: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON value a text begins with, or None where it is none."""
    try:
        return json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))[0]
    except (ValueError, RecursionError):
        return None
