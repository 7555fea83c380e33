"""The one vocabulary of failure: labels, sub-causes and claim support, with their codebook definitions.

Machine and people use the same words (`Suggestion.label`, `Verdict.label`), so calibration is one join.
Definitions follow the ordered tests of `classifier`; the codebook version changes when any sentence here does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

CODEBOOK_VERSION = 1


class FailureLabel(StrEnum):
    """The four classes, in the order of the classifier's tests."""

    RETRIEVAL_MISS = "retrieval_miss"
    UNSUPPORTED_CLAIMS = "unsupported_claims"
    GROUNDED_WRONG_QUESTION = "grounded_wrong_question"
    STILL_WRONG = "still_wrong"


FOUR_CLASSES: tuple[FailureLabel, ...] = tuple(FailureLabel)

UNSCORED = "unscored"
NOT_A_FAILURE = "not_a_failure"
MISSED_FAILURE = "missed_failure"
NOT_ESTIMATED = "not_estimated"

#: What the machine may say of a failing query.
SUGGESTION_LABELS: tuple[str, ...] = (*FOUR_CLASSES, UNSCORED)
#: What a reviewer may say of a query.
VERDICT_LABELS: tuple[str, ...] = (*FOUR_CLASSES, NOT_A_FAILURE)


class Support(StrEnum):
    """What a judge or a person says of one claim against one chunk, or against all of them."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class CodebookEntry:
    """One label as people read it: a short name, a one-sentence definition, an example and a near-miss."""

    label: str
    title: str
    definition: str
    example: str
    near_miss: str
    #: Tone of the label on screen: the suffix of the CSS class and of the icon.
    tone: str


CODEBOOK: tuple[CodebookEntry, ...] = (
    CodebookEntry(
        label=FailureLabel.RETRIEVAL_MISS,
        title="Retrieval miss",
        definition="Under half of the gold chunks reached the prompt.",
        example="The refund rule stands in one chunk; the context holds ten others.",
        near_miss="The gold chunk is there, at rank 18: not a miss, look further down the list.",
        tone="miss",
    ),
    CodebookEntry(
        label=FailureLabel.UNSUPPORTED_CLAIMS,
        title="Unsupported claims",
        definition="Some claim of the answer has no single chunk behind it.",
        example="The answer names a 14-day limit that no chunk mentions.",
        near_miss="The claim is supported by a superseded chunk: supported, and still wrong.",
        tone="unsupported",
    ),
    CodebookEntry(
        label=FailureLabel.GROUNDED_WRONG_QUESTION,
        title="Grounded, wrong question",
        definition="Every claim is supported, but the answer is to another question.",
        example="Asked for the refund window, it explains the renewal policy faithfully.",
        near_miss="It answers the question asked, with a wrong fact: not this class.",
        tone="wrongq",
    ),
    CodebookEntry(
        label=FailureLabel.STILL_WRONG,
        title="Still wrong",
        definition="Evidence, support and relevance hold, and the answer is wrong all the same.",
        example="It quotes a policy that was replaced last year and never unpublished.",
        near_miss="One of its claims has no chunk behind it: unsupported claims comes first.",
        tone="still",
    ),
    CodebookEntry(
        label=NOT_A_FAILURE,
        title="Not a failure",
        definition="The answer is right; the evaluation marked it wrong.",
        example="The reference says 'two weeks', the answer '14 days'.",
        near_miss="The answer is right by luck, without evidence: unsupported claims.",
        tone="notfail",
    ),
)

CODEBOOK_BY_LABEL: dict[str, CodebookEntry] = {str(entry.label): entry for entry in CODEBOOK}

SUB_CAUSES: dict[str, tuple[str, ...]] = {
    FailureLabel.RETRIEVAL_MISS: (
        "unreachable",
        "ranked_out",
        "gold_not_in_corpus",
        "abstained_rightly",
        "other",
    ),
    FailureLabel.UNSUPPORTED_CLAIMS: (
        "should_have_abstained",
        "bridged_passages",
        "contradicts_evidence",
        "fabricated_citation",
        "other",
    ),
    FailureLabel.GROUNDED_WRONG_QUESTION: (
        "neighbouring_topic",
        "multi_intent",
        "ambiguous_question",
        "should_have_abstained",
        "other",
    ),
    FailureLabel.STILL_WRONG: (
        "superseded_document",
        "contradicting_documents",
        "wrong_gold",
        "buried_evidence",
        "over_abstention",
        "should_have_abstained",
        "incomplete",
        "other",
    ),
    NOT_A_FAILURE: (),
}

#: Who the work of a class usually belongs to; editable per project, by class or by (class, sub-cause).
DEFAULT_OWNERS: dict[str, str] = {
    FailureLabel.RETRIEVAL_MISS: "Retrieval",
    FailureLabel.UNSUPPORTED_CLAIMS: "Generation",
    FailureLabel.GROUNDED_WRONG_QUESTION: "Query planning",
    FailureLabel.STILL_WRONG: "Content operations",
    UNSCORED: "no one",
    NOT_A_FAILURE: "Evaluation",
    MISSED_FAILURE: "Evaluation",
}


def is_sub_cause_of(label: str, sub_cause: str) -> bool:
    """Say whether `sub_cause` belongs to `label`; the empty string (none chosen) always does."""
    return sub_cause == "" or sub_cause in SUB_CAUSES.get(label, ())
