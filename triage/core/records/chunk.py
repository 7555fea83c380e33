"""Chunks of the corpus, and the slots of a retrieval that hold them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationInfo

from triage.core.records.record import Line, Record
from triage.core.records.values import Count, Else, Id, Ids, Number, Text, Time, as_id, null_means


def _reference(value: object, info: ValidationInfo) -> object:
    """Return the id of a document or chunk; blank means none."""
    blank = value is None or (isinstance(value, str) and not value.strip())
    return "" if blank else as_id(value, info)


Reference = Annotated[str, Field(max_length=500, pattern=r"^$|\S"), Else(_reference, int | float | None)]


class ChunkDetails(Record):
    """What may be said of a chunk, on its own line or wherever it was retrieved."""

    id: Id = Field(description="Names the chunk within the file.")
    text: str | None = Field(default=None, description="Null or left out = text not supplied.")
    document: Reference = Field(default="", description="The document it was cut from.")
    section: Text = Field(default="", description="Its section.")
    title: Text = Field(default="", description="Title of the document.")
    url: Text = Field(default="", description="Where people can read it.")
    tokens: Count = Field(default=None, description="Length in tokens of the generator.")
    updated_at: Time = Field(default=None, description="When its document was last changed.")
    superseded_by: Reference = Field(default="", description="Chunk or document that replaced it.")
    summary_of: Ids = Field(default_factory=list, description="Chunks it summarises.")


class ChunkRecord(ChunkDetails, Line):
    """One chunk of the corpus on a line of its own."""


#: Fields of a chunk besides its id, in one order; `meta` only comes with a chunk's own line.
CHUNK_FIELDS: tuple[str, ...] = tuple(name for name in ChunkRecord.model_fields if name not in {"id", "meta"})


class RetrievedRecord(ChunkDetails):
    """One slot of a retrieval, best first. Its chunk may be told inline."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "retrieved[]."

    rank: Number = Field(default=None, description="1 to n without gaps, else list order is used.")
    score: Number = Field(default=None, description="The retriever's score, on any scale.")
    rerank_score: Number = Field(default=None, description="The reranker's score, on any scale.")
    in_context: Annotated[bool, null_means(lambda: True)] = Field(
        default=True, description="Whether it entered the prompt."
    )

    def details(self) -> dict[str, Any]:
        """Return what this slot says of its chunk, field by field; nothing where it is an id alone."""
        return told(self)


_DETAILS = frozenset(CHUNK_FIELDS)


def told(chunk: ChunkDetails) -> dict[str, Any]:
    """Return the fields of a chunk that carry something. A blank text does (it is blank); a blank title does not."""
    fields = {}
    for name in chunk.__pydantic_fields_set__ & _DETAILS:
        value = getattr(chunk, name)
        if value or value == 0 or (name == "text" and value == ""):
            fields[name] = value
    return fields
