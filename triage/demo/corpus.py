"""The help centre of the invented product, read from its source files."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent / "source"
_PIECE = re.compile(r"\w+|[^\w\s]")
#: Letters of a long word that one token holds, about what a byte-pair vocabulary manages on English prose.
_LETTERS_PER_TOKEN = 7


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk as it will stand in the run file."""

    id: str
    text: str
    document: str
    title: str
    section: str
    url: str
    updated_at: str
    superseded_by: str
    summary_of: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return count_tokens(self.text)

    def record(self) -> dict[str, Any]:
        """Return the chunk's line; fields with nothing in them are left out."""
        line = {
            "kind": "chunk",
            "id": self.id,
            "document": self.document,
            "title": self.title,
            "section": self.section,
            "url": self.url,
            "tokens": self.tokens,
            "updated_at": self.updated_at,
            "superseded_by": self.superseded_by,
            "summary_of": list(self.summary_of),
            "text": self.text,
        }
        return {name: value for name, value in line.items() if value}


def count_tokens(text: str) -> int:
    """Estimate the tokens of `text`: one per punctuation mark, one per seven letters of a word."""
    return sum(math.ceil(len(piece) / _LETTERS_PER_TOKEN) for piece in _PIECE.findall(text))


def load_corpus() -> dict[str, Chunk]:
    """Return every chunk by its id (document id and number), in the order of the source files."""
    chunks: dict[str, Chunk] = {}
    for path in sorted((SOURCE / "documents").glob("*.toml")):
        for document in tomllib.loads(path.read_text(encoding="utf-8"))["document"]:
            for number, entry in enumerate(document["chunk"], start=1):
                chunk = _chunk(document, entry, number)
                chunks[chunk.id] = chunk
    return chunks


def _chunk(document: dict[str, Any], entry: dict[str, Any], number: int) -> Chunk:
    return Chunk(
        id=f"{document['id']}-{number}",
        text=entry["text"],
        document=document["id"],
        title=document["title"],
        section=entry["section"],
        url=f"{document['url']}#{_anchor(entry['section'])}",
        updated_at=f"{document['updated_at'].isoformat()}T09:00:00Z",
        superseded_by=entry.get("superseded_by", document.get("superseded_by", "")),
        summary_of=tuple(entry.get("summary_of", ())),
    )


def _anchor(section: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", section.casefold()))
