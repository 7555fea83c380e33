"""Which text encoding a file is in, and its bytes as UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from triage.formats.errors import FileError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE"}


def detect(head: bytes) -> tuple[str, int]:
    """Return the encoding of a text that begins with `head`, and the length of its byte order mark.

    UTF-16 without a mark is known by its NULs: JSON begins with an ASCII character.
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise FileError("utf_32", "a UTF-32 text", "UTF-8", "Save it as UTF-8.")
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    if len(head) >= 4 and head[1] == 0 and head[3] == 0 and head[0] and head[2]:
        return "utf-16-le", 0
    if len(head) >= 4 and head[0] == 0 and head[2] == 0 and head[1] and head[3]:
        return "utf-16-be", 0
    return "utf-8", 0


def as_utf8(blocks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the blocks as UTF-8 bytes; UTF-8 itself is passed on unchecked, line by line is its check."""
    if encoding == "utf-8":
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    offset = 0
    try:
        for block in blocks:
            yield decoder.decode(block).encode()
            offset += len(block)
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        raise FileError(
            "bad_utf_16",
            f"bytes that are not {NAMES[encoding]} near byte {offset + error.start:,}",
            "UTF-8, or UTF-16 throughout",
            "Save the file as UTF-8.",
        ) from None
