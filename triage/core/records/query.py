"""The `query` object: one question as evaluated in one run, with all that is known of it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from triage.core.records.chunk import RetrievedRecord
from triage.core.records.claim import Claims
from triage.core.records.faults import refusal
from triage.core.records.people import Challenges, HumanVerdicts, Ratings
from triage.core.records.record import Line, Record, kept
from triage.core.records.scores import Scores, at_k
from triage.core.records.values import Amount, Around, Else, Id, Text, Word, limits_of, null_means, remark

#: A gold id with at least this many spaces reads like a sentence.
_SPACES_OF_A_SENTENCE = 8


class TurnRecord(Record):
    """An earlier turn of the conversation, shown while reviewing."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "conversation[]."

    speaker: str = Field(description="Who spoke.")
    text: str = Field(description="What was said.")


def _slot(value: object, _info: ValidationInfo) -> object:
    """Return a slot given as a bare id as an object."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return {"id": value}
    if not isinstance(value, dict):
        raise refusal("a chunk id, or an object with id", "Name the chunk, or remove the item from the list.")
    return value


def _retrieval(value: object, info: ValidationInfo) -> object:
    if isinstance(value, dict):
        raise refusal("a list in rank order, or null", "Write the chunks as a list, best first.")
    if isinstance(value, list) and len(value) > limits_of(info).chunks:
        raise refusal(
            f"at most {limits_of(info).chunks:,} chunks", "Keep the best ones.", found=f"{len(value):,} chunks"
        )
    return value


def in_rank_order(slots: Any, info: Around) -> Any:  # noqa: ANN401 - typed by the field
    """Return the slots in the order of their ranks, and remark on what is odd about them together."""
    if not slots:
        remark(info, "retrieval_unknown" if slots is None else "retrieved_nothing")
        return slots
    if len({slot.id for slot in slots}) < len(slots):
        remark(info, "duplicate_chunk")
    for slot in slots:
        if slot.text is not None and not slot.text.strip():
            remark(info, "blank_chunk")
            break
    return _falling(_by_rank(slots, info), info)


def _by_rank(slots: list[RetrievedRecord], info: Around) -> list[RetrievedRecord]:
    ranks = [slot.rank for slot in slots]
    if set(ranks) == {None}:
        return slots
    expected = list(range(1, len(slots) + 1))
    if ranks == expected:
        return slots
    if None in ranks or sorted(ranks) != expected:  # type: ignore[type-var]
        remark(info, "ranks_not_contiguous")
        return slots
    remark(info, "sorted_by_rank")
    return sorted(slots, key=lambda slot: slot.rank or 0)


def _falling(slots: list[RetrievedRecord], info: Around) -> list[RetrievedRecord]:
    """Remark on retrieval scores that rise along the ranks, unless a reranker made the order."""
    scores = [slot.score for slot in slots]
    if None in scores or scores == sorted(scores, reverse=True):  # type: ignore[type-var]
        return slots
    if all(slot.rerank_score is None for slot in slots):
        remark(info, "scores_not_descending")
    return slots


def _gold(value: object) -> object:
    if isinstance(value, str):
        raise refusal("a list of chunk ids, or null", f'Write ["{value}"].' if len(value) < 60 else "Write a list.")
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        raise refusal("a list of chunk ids, or null", "Give one flat list; several gold sets are not read.")
    return value


def known_gold(gold: list[str] | None, info: Around) -> list[str] | None:
    """Return gold without repeats; an empty list of an answerable query is unknown."""
    answerable = info.data.get("answerable", True)
    if not gold:
        if gold is not None and answerable:
            remark(info, "empty_gold")
        return gold if not answerable else None
    if not answerable:
        remark(info, "gold_but_unanswerable")
    if any(key.count(" ") >= _SPACES_OF_A_SENTENCE for key in gold):
        remark(info, "gold_looks_like_text")
    once = list(dict.fromkeys(gold))
    if len(once) < len(gold):
        remark(info, "duplicate_gold")
    return once


def _origins(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {key: [names] if isinstance(names := value[key], str) else names for key in sorted(value)}


def extra_origins(origins: dict[str, list[str]], info: Around) -> dict[str, list[str]]:
    """Return where gold came from; remark on ids that are no gold."""
    if "gold" in info.data and not origins.keys() <= set(info.data["gold"] or ()):
        remark(info, "extra_gold_from")
    return origins


def _claims(value: object, info: ValidationInfo) -> object:
    if isinstance(value, list) and len(value) > limits_of(info).claims:
        raise refusal(f"at most {limits_of(info).claims:,} claims", "Split the answer.", found=f"{len(value):,} claims")
    return value


def _slices(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {key: value[key] for key in sorted(value) if value[key] is not None}


def _question(value: str, info: ValidationInfo) -> str:
    if not value.strip():
        remark(info, "blank_question")
    return value


def metric_over_k(scores: Any, info: Around) -> Any:  # noqa: ANN401 - typed by the field
    """Return the scores; remark on one named for more chunks than were retrieved."""
    retrieved = info.data.get("retrieved")
    if retrieved is not None and any((at_k(score.metric) or 0) > len(retrieved) for score in scores):
        remark(info, "metric_over_k")
    return scores


Slots = Annotated[
    list[Annotated[RetrievedRecord, Else(_slot, str | int | float)]] | None,
    AfterValidator(kept),
    BeforeValidator(_retrieval),
    AfterValidator(in_rank_order),
]
Turns = Annotated[list[TurnRecord], null_means(list), AfterValidator(kept)]
Origins = Annotated[dict[str, list[str]], null_means(dict), BeforeValidator(_origins), AfterValidator(extra_origins)]
Reranked = Annotated[Literal["", "ok", "timeout", "off"], null_means(str)]
ClaimsFrom = Annotated[Literal["file", "split"], null_means(lambda: "file")]


class QueryRecord(Line):
    """One line of a run file: a question, what was retrieved, what was answered, and what is known to be right."""

    id: Id = Field(description="Unique in the file; numbers become their shortest decimal string.")
    question: Annotated[str, AfterValidator(_question)] = Field(description="As it was asked.")
    answer: str | None = Field(default=None, description="Null = no answer was produced.")
    retrieved: Slots = Field(
        default=None, validate_default=True, description="Best first; null = unknown; [] = nothing."
    )
    answerable: Annotated[bool, null_means(lambda: True)] = Field(
        default=True, description="False = the corpus holds no answer."
    )
    gold: Annotated[list[Id] | None, BeforeValidator(_gold), AfterValidator(known_gold)] = Field(
        default=None, description="Ids of the chunks that hold the answer; null = unknown."
    )
    gold_from: Origins = Field(default_factory=dict, description="Gold id -> retrievers it was pooled from, or human.")
    reference: str | None = Field(default=None, description="Reference answer.")
    correct: bool | None = Field(default=None, description="The end-to-end verdict; null = undecided.")
    abstained: bool | None = Field(default=None, description="Null = decided by the patterns of the policy.")
    claims: Annotated[Claims, BeforeValidator(_claims)] = Field(
        default=None, description="Null = split by us; [] = the answer claims nothing."
    )
    claims_from: ClaimsFrom = Field(
        default="file", description="split = an export wrote down claims that we had split; they are no content."
    )
    scores: Annotated[Scores, AfterValidator(metric_over_k)] = Field(
        default_factory=list, description="Recorded scores."
    )
    human: HumanVerdicts = Field(default_factory=list, description="Verdicts of people.")
    human_scores: Ratings = Field(default_factory=list, description="Ordinal ratings by people.")
    conversation: Turns = Field(default_factory=list, description="Earlier turns.")
    challenges: Challenges = Field(default_factory=list, description="Gold challenges.")
    slice: Annotated[dict[str, Word], null_means(dict), BeforeValidator(_slices)] = Field(
        default_factory=dict, description="Name -> value; runs are cut by them."
    )
    latency_ms: Amount = Field(default=None, description="Milliseconds from question to answer.")
    context_tokens: Amount = Field(default=None, description="Tokens of the context in the prompt.")
    reranker: Reranked = Field(default="", description="What the reranker did.")
    cost: Amount = Field(default=None, description="Cost of the answer.")
    trace_id: Text = Field(default="", description="Id of the trace.")
    url: Text = Field(default="", description="Where people can look at it.")
