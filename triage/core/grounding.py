"""Is this answer grounded in these passages, now? The question as it is asked, and the decision as it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from triage.core.confidence import retrieval_confidence
from triage.core.injection import talks_to_judge
from triage.core.language import is_plainly_not_english
from triage.core.limits import DEFAULT_LIMITS
from triage.core.policy import Policy
from triage.core.trust import Trust

#: What a reader must know where the judge is not calibrated.
_TRUST_WORDS = {
    Trust.UNCALIBRATED: "The judge {judge} is not calibrated on this project's answers.",
    Trust.TOO_FEW: "The judge {judge} was compared with too few labels of this project to rely on.",
    Trust.STALE: "The judge {judge} was compared with people too long ago: its calibration is stale.",
}


class Passage(BaseModel):
    """One passage the answer may rest on."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1, max_length=DEFAULT_LIMITS.id_chars)
    text: str | None = None
    #: The retriever's score, any scale.
    score: float | None = None


class GivenClaim(BaseModel):
    """A claim the caller cut; it is not cut again."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    span: tuple[int, int] | None = None


def _claim(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


_EXAMPLE: dict[str, Any] = {
    "question": "How heavy may a parcel be?",
    "answer": "A parcel may weigh 30 kilograms.",
    "passages": [{"id": "parcels-1", "text": "The limit for a parcel is 30 kilograms.", "score": 0.83}],
}


class GroundingRequest(BaseModel):
    """An answer and its passages. `claims` None = cut here."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"examples": [_EXAMPLE]})

    question: str = ""
    answer: str | None = None
    claims: list[Annotated[GivenClaim, BeforeValidator(_claim)]] | None = Field(
        default=None, max_length=DEFAULT_LIMITS.claims
    )
    passages: list[Passage] = Field(default_factory=list, max_length=DEFAULT_LIMITS.chunks)


class Decision(StrEnum):
    """What to do with the answer."""

    ALLOW = "allow"
    FLAG = "flag"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim with its best passage. `supported` None: the judge failed on it."""

    text: str
    span: tuple[int, int] | None
    supported: bool | None
    score: float | None
    chunk: str | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The whole word on an answer; `grounding_rate` None without claims, or where one was not judged."""

    claims: tuple[CheckedClaim, ...]
    grounding_rate: float | None
    decision: Decision
    retrieval_confidence: float | None
    caveat: str
    judge: str
    #: People have compared this very judge with enough of their own labels, not too long ago.
    calibrated: bool
    #: The same in full: calibrated, uncalibrated, too few to rely on, stale.
    calibration: Trust
    ms: float

    def as_json(self) -> dict[str, Any]:
        """Return the object the command prints and the API answers with."""
        return asdict(self)


def grounding_rate(claims: Sequence[CheckedClaim]) -> float | None:
    """Return supported claims / claims; None without claims, or where one was not judged."""
    if not claims or any(claim.supported is None for claim in claims):
        return None
    return sum(claim.supported is True for claim in claims) / len(claims)


def decide(claims: Sequence[CheckedClaim], rate: float | None, policy: Policy) -> Decision:
    """Allow from the policy's faithfulness up, block below `block_below`, flag between.

    Where a claim was not judged the answer is flagged. An answer without claims, such as a refusal, is allowed: it
    says nothing that could be wrong.
    """
    if not claims:
        return Decision.ALLOW
    if rate is None:
        return Decision.FLAG
    if rate >= policy.faithfulness:
        return Decision.ALLOW
    return Decision.BLOCK if rate < policy.block_below else Decision.FLAG


def caveat(
    request: GroundingRequest, claims: Sequence[CheckedClaim], *, abstains: bool, judge: str, trust: Trust
) -> str:
    """Return what a reader of the decision must know, in sentences; "" when there is nothing to add."""
    weak = retrieval_confidence([passage.score for passage in request.passages]).caveat
    unjudged = sum(claim.supported is None for claim in claims)
    readable = any(passage.text and passage.text.strip() for passage in request.passages)
    notes = [
        (abstains, "The answer declines to answer."),
        (not abstains and not claims, "The answer makes no claim that could be checked."),
        (bool(claims) and not readable, "There is no passage with text: nothing can be supported."),
        (
            bool(claims) and is_plainly_not_english(request.answer or ""),
            "The answer does not look English; the judges that ship with the product read English only.",
        ),
        (
            any(map(talks_to_judge, (request.answer, *(claim.text for claim in claims)))),
            "Possible injection: the answer talks to its judge. Look at it yourself.",
        ),
        (unjudged > 0, f"{unjudged} of {len(claims)} claims could not be judged."),
        (bool(weak), weak),
        (bool(claims) and trust in _TRUST_WORDS, _TRUST_WORDS.get(trust, "").format(judge=judge)),
    ]
    return " ".join(text for holds, text in notes if holds)
