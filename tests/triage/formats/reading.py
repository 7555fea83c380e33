"""What the tests of all readers use: read bytes or a file, and look at what came out."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import ChunkRecord, Notice, QueryRecord, RowError, RunRecord
from triage.formats import FileError, Item, RunFile, open_run

FILES = Path(__file__).resolve().parents[2] / "data" / "formats"


@dataclass
class Read:
    """Everything that one file gave."""

    format: str
    reader: RunFile
    items: list[Item]
    errors: list[RowError]

    @property
    def queries(self) -> list[QueryRecord]:
        return [item.record for item in self.items if isinstance(item.record, QueryRecord)]

    @property
    def query(self) -> QueryRecord:
        (query,) = self.queries
        return query

    @property
    def chunks(self) -> dict[str, Any]:
        """Chunk id -> text, from wherever in the file it was told."""
        texts: dict[str, Any] = {}
        for item in self.items:
            texts |= {key: details["text"] for key, details in item.chunks.items() if "text" in details}
        return texts

    @property
    def run(self) -> RunRecord:
        (run,) = [item.record for item in self.items if isinstance(item.record, RunRecord)]
        return run

    @property
    def chunk_lines(self) -> list[ChunkRecord]:
        return [item.record for item in self.items if isinstance(item.record, ChunkRecord)]

    @property
    def notices(self) -> dict[str, Notice]:
        return {notice.code: notice for notice in self.reader.notices()}

    @property
    def error(self) -> RowError:
        (error,) = self.errors
        return error


def read(data: bytes | str, name: str = "", limits: Limits = DEFAULT_LIMITS, **more: Any) -> Read:
    """Read bytes (or text as UTF-8) as a file of the format `name`; blank = told by content."""
    raw = data.encode() if isinstance(data, str) else data
    chosen, reader = open_run(io.BytesIO(raw), limits, name, **more)
    found = list(reader)
    items = [item for item in found if isinstance(item, Item)]
    return Read(chosen, reader, items, [item for item in found if isinstance(item, RowError)])


def read_file(name: str, format_: str = "") -> Read:
    """Read one of the fixture files."""
    return read((FILES / name).read_bytes(), format_)


def refused(data: bytes | str, name: str = "", limits: Limits = DEFAULT_LIMITS, **more: Any) -> FileError:
    """Return why a file is refused as a whole; it always says what to do."""
    with pytest.raises(FileError) as caught:
        read(data, name, limits, **more)
    assert caught.value.remedy
    return caught.value


def ids(slots: Any) -> list[str]:
    """Return the ids of retrieved chunks, in order."""
    return [slot.id for slot in slots]
