"""Claims of an answer, with the recorded verdicts on them and what people said of them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from triage.core.records.faults import refusal
from triage.core.records.record import Record, kept
from triage.core.records.values import Around, Else, Ids, Number, OptionalId, Text, Time, null_means, remark

SupportWord = Literal["supported", "unsupported", "contradicted", "unsure"]
_PAIR = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


def _span(value: list[int], info: ValidationInfo) -> list[int]:
    if len(value) != 2 or not 0 <= value[0] < value[1]:
        raise refusal("[start, end], start before end", "Count in code points from 0, end exclusive.")
    return value


Span = Annotated[list[int], AfterValidator(_span), Field(json_schema_extra=_PAIR)]


#: Checked against the answer, which the claim itself does not know.
Place = Annotated[list[int], Field(min_length=2, max_length=2, json_schema_extra=_PAIR)]


class VerdictRecord(Record):
    """What a recorded judge said of a claim. `chunk` null = about the context as a whole."""

    level: ClassVar[int] = 5
    path: ClassVar[str] = "claims[].verdicts[]."

    chunk: OptionalId = Field(default=None, description="The chunk, or null for the context as a whole.")
    label: SupportWord | None = Field(default=None, description="Where label and score disagree, the label wins.")
    score: Number = Field(default=None, description="0 to 1; anything else is kept and not used.")
    judge: Text = Field(default="", description="Who said so.")


class ClaimMarkRecord(Record):
    """What a person said of a claim."""

    level: ClassVar[int] = 5
    path: ClassVar[str] = "claims[].human[]."

    label: SupportWord = Field(description="What the person said.")
    chunk: OptionalId = Field(default=None, description="The chunk it rests on.")
    span: Span | None = Field(default=None, description="The words of the chunk, in code points.")
    reviewer: OptionalId = Field(default=None, description="Any key.")
    blind: bool | None = Field(
        default=None, description="Whether nothing our machine said was on the page; null = given elsewhere, so blind."
    )
    at: Time = Field(default=None, description="When.")


Verdicts = Annotated[list[VerdictRecord], null_means(list), AfterValidator(kept)]
Marks = Annotated[list[ClaimMarkRecord], null_means(list), AfterValidator(kept)]


def _words(value: Any, _info: ValidationInfo) -> Any:  # noqa: ANN401 - checked again as text
    if isinstance(value, str):
        raise refusal("a claim with words", "Remove the claim, or write it out.")
    return value


class ClaimRecord(Record):
    """One checkable statement of an answer."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "claims[]."

    text: Annotated[str, Field(pattern=r"\S"), Else(_words)] = Field(description="The statement, readable on its own.")
    span: Place | None = Field(default=None, description="Its place in the answer, in code points.")
    cites: Ids = Field(default_factory=list, description="Chunks (or documents) it says it rests on.")
    verdicts: Verdicts = Field(default_factory=list, description="A recorded judge's, never a person's.")
    human: Marks = Field(default_factory=list, description="People's marks, never a judge's.")


def _claim(value: object, _info: ValidationInfo) -> object:
    """Return a claim given as a bare string as an object."""
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        raise refusal("a claim: a string, or an object with text", "Write the claim as a string.")
    return value


def placed(claims: Any, info: Around) -> Any:  # noqa: ANN401 - typed by the field
    """Check every span against the answer, and remark on recorded verdicts that cannot be used."""
    answer = info.data.get("answer")
    longest = len(answer) if isinstance(answer, str) else 0
    for number, claim in enumerate(claims or ()):
        if claim.span and "answer" in info.data and not 0 <= claim.span[0] < claim.span[1] <= longest:
            raise refusal(
                f"start before end, within 0 to {longest:,}",
                "Count in code points of the answer, end exclusive.",
                found=str(claim.span),
                at=f"[{number}].span",
            )
        for verdict in claim.verdicts:
            _remark_on(verdict, info)
    return claims


def _remark_on(verdict: VerdictRecord, info: Around) -> None:
    if verdict.score is not None and not 0 <= verdict.score <= 1:
        remark(info, "score_out_of_range")
    elif verdict.score is None and verdict.label is None:
        remark(info, "empty_verdict")


Claims = Annotated[list[Annotated[ClaimRecord, Else(_claim, str)]] | None, AfterValidator(kept), AfterValidator(placed)]
