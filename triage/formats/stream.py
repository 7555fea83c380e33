"""Bytes of a file as they come: decompressed, counted, and stopped before they become too many.

Nothing is believed that a header says about sizes: what counts is what comes out (SEC-19).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Protocol

import zstandard

from triage.core.limits import Limits
from triage.formats.errors import FileError

BLOCK = 256 * 1024
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
#: A zstd block of a few bytes can become 128 kB; this much input at a time bounds what one call may return.
_ZSTD_PIECE = 1024
_ZSTD_WINDOW = 2**25


class Readable(Protocol):
    """A binary stream that can only be read forward."""

    def read(self, size: int, /) -> bytes: ...


class Source:
    """Blocks of a stream, with the number of bytes taken so far (before decompression)."""

    def __init__(self, stream: Readable, limits: Limits) -> None:
        self._stream, self._limits = stream, limits
        self.taken = 0
        #: gzip, zstd, or blank for none.
        self.compression = ""

    def _raw(self) -> Iterator[bytes]:
        while block := self._stream.read(BLOCK):
            self.taken += len(block)
            if self.taken > self._limits.file_bytes:
                raise too_large(self._limits)
            yield block

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes of the file, decompressed.

        Raises:
            FileError: too large, expands too much, cut off or damaged.
        """
        raw = self._raw()
        first = next(raw, b"")
        whole = _chain(first, raw)
        if first.startswith(GZIP):
            self.compression = "gzip"
            yield from self._measured(_gunzip(whole))
        elif first.startswith(ZSTD):
            self.compression = "zstd"
            yield from self._measured(_unzstd(whole))
        else:
            yield from whole

    def _measured(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        out = 0
        for block in blocks:
            out += len(block)
            if out > self._limits.file_bytes:
                raise too_large(self._limits)
            if out > self._limits.ratio_after and out > self._limits.ratio * self.taken:
                raise FileError(
                    "expands_too_much",
                    f"a compressed file that becomes more than {self._limits.ratio} times its size",
                    "text that compresses like text",
                    "Send the file without compression.",
                )
            yield block


def too_large(limits: Limits) -> FileError:
    """Return the refusal of a file over the size limit."""
    size = f"{limits.file_bytes / 1024**3:.3g} GB" if limits.file_bytes >= 1024**3 else f"{limits.file_bytes:,} bytes"
    return FileError(
        "too_large", "a file over the size limit", f"at most {size}, also after decompression", "Split it."
    )


def _chain(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _gunzip(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content of a gzip file of one or more members, never more than a block at a time."""
    member = zlib.decompressobj(wbits=31)
    try:
        for block in blocks:
            data = block
            while data := data.lstrip(b"\0") if member.eof else data:
                member = zlib.decompressobj(wbits=31) if member.eof else member
                yield member.decompress(data, BLOCK)
                data = member.unused_data if member.eof else member.unconsumed_tail
        while not member.eof and (rest := member.decompress(b"", BLOCK)):
            yield rest
    except zlib.error as error:
        raise _damaged("gzip", str(error)) from None
    if not member.eof:
        raise _cut("gzip")


def _unzstd(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content of a zstd file of one or more frames."""
    reader = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    frame = reader.decompressobj()
    try:
        for block in blocks:
            for start in range(0, len(block), _ZSTD_PIECE):
                piece = block[start : start + _ZSTD_PIECE]
                while piece:
                    if frame.eof:
                        frame = reader.decompressobj()
                    yield frame.decompress(piece)
                    piece = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        raise _damaged("zstd", str(error)) from None
    if not frame.eof:
        raise _cut("zstd")


def _damaged(kind: str, detail: str) -> FileError:
    return FileError(
        f"damaged_{kind}",
        f"a {kind} file that is damaged ({detail})",
        f"a whole {kind} file",
        "Compress it again, or send it without compression.",
    )


def _cut(kind: str) -> FileError:
    return FileError(
        f"cut_{kind}",
        f"a {kind} file that ends in the middle",
        f"a whole {kind} file",
        "Upload or copy it again: this one was cut off.",
    )
