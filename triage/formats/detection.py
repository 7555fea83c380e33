"""Which format a file is in, told by its first bytes alone. No name or ending of a file is believed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable

import zstandard

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.formats import deepeval, label_studio, langfuse, openinference, ragas, ragchecker
from triage.formats.csv_rows import Table, readable
from triage.formats.encoding import detect as encoding_of
from triage.formats.errors import FileError
from triage.formats.kinds import foreign
from triage.formats.parquet_rows import MAGIC, parquet_columns
from triage.formats.run_file import HEAD
from triage.formats.stream import GZIP, ZSTD, Readable

RUN_FILE, TABLE = "run_file", "table"
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\]:,]', re.DOTALL)
#: Paths looked at: how deep the keys that tell the tools apart lie.
_DEPTH = 4


def keys(text: str) -> dict[str, set[str]]:
    """Return path -> keys of the objects there, over the first record of a JSON text that may be cut off.

    The path of the record itself is "", of what it holds under `a` "a", of the objects of a list under it "a[]".
    """
    found: dict[str, set[str]] = {}
    stack: list[str] = []
    path, key = "", ""
    text = text.removeprefix("[")
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            stack.append(path)
            path = f"{path}{'.' if path and key else ''}{key}{'[]' if mark == '[' else ''}"
            key = ""
        elif mark in "}]":
            path = stack.pop() if stack else ""
            key = ""
            if not stack:
                break
        elif mark == ",":
            key = ""
        elif mark != ":" and len(stack) <= _DEPTH and text[token.end() : token.end() + 20].lstrip().startswith(":"):
            key = token[1]
            found.setdefault(path, set()).add(key)
    return found


def detect(head: bytes) -> str:
    """Return the name of the format of a file that begins with `head` (decompressed, in UTF-8).

    What nothing recognises is taken for a run file, whose reader says what is wrong with it.
    """
    return _recognised(head) or RUN_FILE


def _recognised(head: bytes) -> str:
    """Return the format that a beginning shows plainly; blank where nothing recognises it."""
    if head.startswith(b"PK"):
        return "beir" if (packed := foreign(head)) and packed.code == "zip" else ""
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if text[:1] in {"{", "["}:
        return _of_json(keys(text))
    reason = foreign(readable(head))
    if reason is None:
        return ""
    if reason.code in {"trec_run", "trec_qrels"}:
        return "trec"
    return of_columns(_columns(head)) if reason.code == "csv" else ""


def _columns(head: bytes) -> list[str]:
    try:
        return Table(iter([head]), DEFAULT_LIMITS).columns
    except FileError:
        return []


def of_columns(columns: Iterable[str]) -> str:
    """Return the format of a table with these columns."""
    names = set(columns)
    if {"annotation_id", "annotator"} <= names:
        return "label_studio"
    for name, recognises in (
        ("openinference", openinference.recognises),
        ("ragas", ragas.recognises),
        ("langfuse", langfuse.recognises),
    ):
        if recognises(names):
            return name
    return TABLE


#: Format -> whether the keys of a first record, by path, are its own; asked in this order.
_JSON: tuple[tuple[str, Callable[[dict[str, set[str]]], bool]], ...] = (
    ("ragchecker", ragchecker.recognises),
    ("openinference", openinference.recognises_json),
    ("label_studio", label_studio.recognises),
    ("run_file", lambda found: "kind" in found.get("", ()) or {"question", "retrieved"} <= found.get("", set())),
    ("deepeval", deepeval.recognises),
    ("ragas", ragas.recognises_json),
    ("langfuse", langfuse.recognises_json),
)


def _of_json(found: dict[str, set[str]]) -> str:
    return next((name for name, recognises in _JSON if recognises(found)), "")


class _Again:
    """A stream with its first bytes put back."""

    def __init__(self, taken: bytes, stream: Readable) -> None:
        self._taken, self._stream = taken, stream

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""
        if not self._taken:
            return self._stream.read(size)
        taken, self._taken = self._taken[:size], self._taken[size:]
        return taken


def recognise(stream: Readable, limits: Limits) -> tuple[str, Readable]:
    """Return the format of a file by its content, and a stream that begins at its beginning again.

    The name is blank where nothing recognises the content.
    """
    raw = _first(stream)
    again: Readable = _Again(raw, stream)
    seek = getattr(stream, "seek", None)
    if seek is not None and getattr(stream, "seekable", lambda: True)():
        seek(0)
        again = stream
    if raw.startswith(MAGIC):
        name = of_columns(parquet_columns(again, limits))
        stream.seek(0)  # type: ignore[attr-defined] # else its columns could not be read
        return name, again
    return _recognised(_as_text(raw)), again


def text_head(stream: Readable) -> bytes:
    """Return the first bytes of a text file, decompressed, as UTF-8 without a byte order mark."""
    return _as_text(_first(stream)).removeprefix(b"\xef\xbb\xbf")


def _first(stream: Readable) -> bytes:
    taken = b""
    while len(taken) < HEAD and (block := stream.read(HEAD - len(taken))):
        taken += block
    return taken


def _as_text(raw: bytes) -> bytes:
    """Return the first bytes as UTF-8 without compression, as far as they can be read; faults come to light later."""
    try:
        if raw.startswith(GZIP):
            raw = zlib.decompressobj(wbits=31).decompress(raw, HEAD)
        elif raw.startswith(ZSTD):
            raw = zstandard.ZstdDecompressor().stream_reader(raw).read(HEAD)
        encoding, mark = encoding_of(raw)
    except (zlib.error, zstandard.ZstdError, FileError):
        return b""
    return raw[mark:] if encoding == "utf-8" else raw[mark:].decode(encoding, "replace").encode()
