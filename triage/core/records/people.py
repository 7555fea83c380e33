"""What people gave with a file: verdicts, ratings, gold challenges. Never a judge's word."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from triage.core.labels import SUB_CAUSES, VERDICT_LABELS, is_sub_cause_of
from triage.core.records.faults import refusal
from triage.core.records.record import Record, kept
from triage.core.records.values import Count, Ids, Name, Number, OptionalId, Text, Time, null_means, remark

ChallengeKind = Literal[
    "wrong_chunk", "missing_chunk", "wrong_reference", "ambiguous_question", "should_be_unanswerable"
]
Drawn = Annotated[Literal["", "random", "chosen", "all"], null_means(str)]
ChallengeState = Literal["open", "accepted", "rejected"]


def _label(value: object) -> object:
    if value in VERDICT_LABELS or value is None or value == "":
        return value or ""
    raise refusal(f"one of {', '.join(VERDICT_LABELS)}", "Use the label's name as in docs/labels.md.")


def _sub_cause(value: str, info: ValidationInfo) -> str:
    label = info.data.get("label", "")
    if "label" in info.data and not is_sub_cause_of(label, value):
        causes = ", ".join(SUB_CAUSES.get(label, ())) or "none"
        raise refusal(f"a sub-cause of {label or 'its label'}: {causes}", "Choose one of them, or leave it out.")
    return value


def _labels() -> dict[str, Any]:
    return {"enum": list(VERDICT_LABELS), "type": "string"}


class HumanVerdictRecord(Record):
    """A verdict on a query that a person gave elsewhere, or here before an export."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "human[]."

    label: Annotated[str, BeforeValidator(_label)] = Field(
        default="", description="A failure label or not_a_failure; blank = a note alone.", json_schema_extra=_labels()
    )
    sub_cause: Annotated[Text, AfterValidator(_sub_cause)] = Field(default="", description="One of the label's.")
    note: Text = Field(default="", description="In their own words.")
    reviewer: OptionalId = Field(default=None, description="Any key that stands for the person.")
    blind: bool | None = Field(
        default=None, description="Whether nothing our machine said was on the page; null = given elsewhere, so blind."
    )
    drawn: Drawn = Field(default="", description="How the query came to them.")
    at: Time = Field(default=None, description="When.")
    adjudicated: Annotated[bool, null_means(bool)] = Field(
        default=False, description="Settles a disagreement of others."
    )


class RatingRecord(Record):
    """An ordinal rating of an answer by a person."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "human_scores[]."

    metric: Name = Field(description="What was rated.")
    value: Number = Field(default=None, description="The rating.")
    scale: list[float] | None = Field(default=None, min_length=2, max_length=2, description="[lowest, highest].")
    reviewer: OptionalId = Field(default=None, description="Any key that stands for the person.")


def _in_scale(ratings: list[RatingRecord], info: ValidationInfo) -> list[RatingRecord]:
    for rating in ratings:
        if rating.value is not None and rating.scale and not rating.scale[0] <= rating.value <= rating.scale[1]:
            remark(info, "rating_out_of_scale")
    return ratings


class ChallengeRecord(Record):
    """Somebody says the gold is wrong. Accepted and open challenges travel with a run."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "challenges[]."

    kind: ChallengeKind = Field(description="What is wrong with the gold.")
    add: Ids = Field(default_factory=list, description="Chunk ids to add to the gold.")
    remove: Ids = Field(default_factory=list, description="Chunk ids to take out of it.")
    reference: str | None = Field(default=None, description="A better reference answer.")
    note: Text = Field(default="", description="Why.")
    state: Annotated[ChallengeState, null_means(lambda: "open")] = Field(default="open", description="Where it stands.")
    reviewer: OptionalId = Field(default=None, description="Who raised it.")
    at: Time = Field(default=None, description="When.")
    decided_by: OptionalId = Field(default=None, description="Who decided.")
    decided_at: Time = Field(default=None, description="When.")
    reason: Text = Field(default="", description="Why they decided so.")
    gold_version: Count = Field(default=None, description="The gold version an acceptance made.")


HumanVerdicts = Annotated[list[HumanVerdictRecord], null_means(list), AfterValidator(kept)]
Ratings = Annotated[list[RatingRecord], null_means(list), AfterValidator(kept), AfterValidator(_in_scale)]
Challenges = Annotated[list[ChallengeRecord], null_means(list), AfterValidator(kept)]
