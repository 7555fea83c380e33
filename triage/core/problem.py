"""What went wrong, told to a program (RFC 9457): a code that stays the same, a sentence, a remedy."""

from __future__ import annotations

from pydantic import BaseModel, Field

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:rag-triage:problem:"


class Problem(BaseModel):
    """One problem. `type` is stable, `detail` is for people and may change."""

    type: str = Field(description=f"`{TYPE}` and a code that stays the same.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path that was asked.")
    field: str | None = Field(
        default=None, description="What was wrong in the request: body.passages.0.id, query.limit."
    )
    remedy: str | None = Field(default=None, description="What to do about it.")
