"""Plain query lines read at the speed of C: the same record as `parse` gives, for lines in which nothing is odd.

`QueryRecord` stays the one definition of the format. This module recognises the lines of a good file - strict types,
known fields, no verdicts of people - and hands every other line back (None), so that whatever has to be said about a
line is said by the one validator. What two values together mean (ranks, gold, spans) goes through the validators of
`query` and `claim` themselves. Tests hold the two readings, their canonical bytes and their rows against each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct
from pydantic_core import PydanticCustomError, to_json

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records.chunk import CHUNK_FIELDS, RetrievedRecord
from triage.core.records.claim import ClaimRecord, placed
from triage.core.records.notices import Remarks
from triage.core.records.query import QueryRecord, extra_origins, in_rank_order, known_gold, metric_over_k
from triage.core.records.record import Record, gathered
from triage.core.records.scores import ScoreRecord, oddities
from triage.core.records.values import Reading

#: From here on the two writers of JSON spell floats differently (1e16 and 1e+16); a content hash wants one spelling.
_SPELT_ALIKE = 1e15
_TOLD = tuple(name for name in CHUNK_FIELDS if name not in {"text", "updated_at"})
_TOLD_BY = attrgetter(*_TOLD)

Id = Annotated[str, Meta(min_length=1, max_length=DEFAULT_LIMITS.id_chars)]
Reference = Annotated[str, Meta(max_length=500)]
Number = Annotated[float, Meta(gt=-_SPELT_ALIKE, lt=_SPELT_ALIKE)] | None
Amount = Annotated[float, Meta(ge=0, lt=_SPELT_ALIKE)] | None
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)] | None


class PlainSlot(Struct, forbid_unknown_fields=True, gc=False):
    """What `RetrievedRecord` says, where it is plain."""

    id: Id
    text: str | None = None
    document: Reference = ""
    section: str = ""
    title: str = ""
    url: str = ""
    tokens: Count = None
    superseded_by: Reference = ""
    summary_of: list[Id] = []
    rank: Number = None
    score: Number = None
    rerank_score: Number = None
    in_context: bool = True
    meta: ClassVar[dict[str, Any]] = {}

    def details(self) -> dict[str, Any]:
        """Return what this slot says of its chunk, field by field."""
        said: dict[str, Any] = {} if self.text is None else {"text": self.text}
        values = _TOLD_BY(self)
        if any(values) or self.tokens == 0:  # most slots say nothing more
            said.update((name, value) for name, value in zip(_TOLD, values, strict=True) if value or value == 0)
        return said

    def is_plain(self) -> bool:
        """Say whether no id of it is blank."""
        return not (
            self.id.isspace()
            or self.document.isspace()
            or self.superseded_by.isspace()
            or (self.summary_of and any(map(str.isspace, self.summary_of)))
        )


class PlainVerdict(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What `VerdictRecord` says, where it is plain."""

    chunk: Id | None = None
    label: Literal["supported", "unsupported", "contradicted", "unsure"] | None = None
    score: Number = None
    judge: str = ""
    meta: ClassVar[dict[str, Any]] = {}


class PlainClaim(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What `ClaimRecord` says, where it is plain."""

    text: Annotated[str, Meta(min_length=1)]
    span: Annotated[list[int], Meta(min_length=2, max_length=2)] | None = None
    cites: list[Id] = []
    verdicts: list[PlainVerdict] = []
    meta: ClassVar[dict[str, Any]] = {}
    human: ClassVar[tuple[()]] = ()

    def is_plain(self) -> bool:
        """Say whether it has words and no id of it is blank."""
        return not (
            not self.text.strip()
            or any(map(str.isspace, self.cites))
            or any(verdict.chunk is not None and verdict.chunk.isspace() for verdict in self.verdicts)
        )


class PlainScore(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What `ScoreRecord` says, where it is plain."""

    metric: Annotated[str, Meta(min_length=1)]
    value: Number = None
    judge: str = ""
    tool: str = ""
    version: str = ""
    definition: str = ""
    scale: ClassVar[None] = None
    meta: ClassVar[dict[str, Any]] = {}

    @property
    def usable(self) -> bool:
        """Say whether the value is a number in [0, 1]."""
        return self.value is not None and 0 <= self.value <= 1


if TYPE_CHECKING:
    Slots = list[PlainSlot]
    Claims = list[PlainClaim]
    Scores = list[PlainScore]
else:  # as they stand in a line: `plain_query` makes objects of what is a bare string or number
    Slots, Claims, Scores = list[PlainSlot | Id], list[PlainClaim | str], list[PlainScore] | dict[str, Number]


class PlainQuery(Struct, forbid_unknown_fields=True):
    """What `QueryRecord` says, where it is plain."""

    id: Id
    question: str
    retrieved: Slots
    answer: str | None = None
    answerable: bool = True
    gold: list[Id] | None = None
    gold_from: dict[str, list[str]] = {}
    reference: str | None = None
    correct: bool | None = None
    abstained: bool | None = None
    claims: Claims | None = None
    scores: Scores = []
    slice: dict[str, str] = {}
    latency_ms: Amount = None
    context_tokens: Amount = None
    reranker: Literal["", "ok", "timeout", "off"] = ""
    cost: Amount = None
    trace_id: str = ""
    url: str = ""
    meta: dict[str, Any] = {}
    claims_from: ClassVar[str] = "file"
    human: ClassVar[tuple[()]] = ()
    human_scores: ClassVar[tuple[()]] = ()
    conversation: ClassVar[tuple[()]] = ()
    challenges: ClassVar[tuple[()]] = ()


AnyQuery = QueryRecord | PlainQuery
AnySlot = RetrievedRecord | PlainSlot
AnyClaim = ClaimRecord | PlainClaim
AnyScore = ScoreRecord | PlainScore
Said = Record | PlainVerdict | PlainScore
_KNOWN = frozenset(QueryRecord.model_fields)


@dataclass(slots=True)
class _Info:
    """What the shared validators ask of the validation around them."""

    context: Reading
    data: dict[str, Any]


def plain_query(value: Mapping[str, Any], remarks: Remarks, limits: Limits) -> PlainQuery | None:
    """Return the query of a line of strict JSON, or None where `parse` has to look at it.

    `value`: parsed JSON without NUL, lone surrogates, non-finite numbers and repeated keys. `remarks` are only of use
    where a query is returned.
    """
    unknown = {name: value[name] for name in value if name not in _KNOWN}
    known = {name: value[name] for name in value if name in _KNOWN} if unknown else value
    unknown.pop("kind", None)
    try:
        query = msgspec.convert(known, PlainQuery)
        return _in_order(query, unknown, Reading(limits, remarks)) if _is_plain(query, limits) else None
    except (msgspec.ValidationError, PydanticCustomError):
        return None


def _is_plain(query: PlainQuery, limits: Limits) -> bool:
    """Say whether nothing is blank or too much; makes objects of slots and claims that are a bare string."""
    slots = query.retrieved = [PlainSlot(slot) if isinstance(slot, str) else slot for slot in query.retrieved]
    if query.claims:
        query.claims = [PlainClaim(claim) if isinstance(claim, str) else claim for claim in query.claims]
    return (
        0 < len(slots) <= limits.chunks
        and len(query.claims or ()) <= limits.claims
        and not (query.id.isspace() or not query.question.strip() or any(map(str.isspace, query.gold or ())))
        and all(slot.is_plain() for slot in slots)
        and all(claim.is_plain() for claim in query.claims or ())
    )


def _in_order(query: PlainQuery, unknown: dict[str, Any], reading: Reading) -> PlainQuery:
    """Put the values in their one order and remark on them, field by field as `QueryRecord` does."""
    info = _Info(reading, {"answer": query.answer, "answerable": query.answerable})
    query.retrieved = info.data["retrieved"] = in_rank_order(query.retrieved, info)
    query.gold = info.data["gold"] = known_gold(query.gold, info)
    if query.gold_from:
        query.gold_from = extra_origins({key: query.gold_from[key] for key in sorted(query.gold_from)}, info)
    query.claims = placed(query.claims, info)
    query.scores = metric_over_k(oddities(_scores(query.scores), info), info)
    query.slice = {key: query.slice[key] for key in sorted(query.slice)}
    if unknown or query.meta:
        query.meta = gathered(query.meta, unknown, info)
    return query


def _scores(scores: list[PlainScore] | dict[str, Number]) -> list[PlainScore]:
    """Return scores as a list, those of an object by metric name."""
    if isinstance(scores, dict):
        scores = [PlainScore(metric, scores[metric]) for metric in sorted(scores)]
    for score in scores:
        if not score.metric.strip():
            raise msgspec.ValidationError
    return scores


class _Slot(Struct, omit_defaults=True):
    """A slot in its canonical form: fields in the order of `RetrievedRecord`, without those that are its chunk's."""

    id: str
    score: float | None = None
    rerank_score: float | None = None
    in_context: bool = True


class _Query(Struct, omit_defaults=True):
    """A query in its canonical form: fields in the order of `QueryRecord`, without what people add."""

    meta: msgspec.Raw | None = None
    id: str = ""
    question: str | None = None
    answer: str | None = None
    retrieved: list[_Slot] = []
    answerable: bool = True
    gold: list[str] | None = None
    gold_from: dict[str, list[str]] = {}
    reference: str | None = None
    correct: bool | None = None
    abstained: bool | None = None
    claims: list[PlainClaim] | None = None
    scores: list[PlainScore] = []
    slice: dict[str, str] = {}
    latency_ms: float | None = None
    context_tokens: float | None = None
    reranker: str = ""
    cost: float | None = None
    trace_id: str = ""
    url: str = ""


_written = msgspec.json.Encoder().encode
_SAME = tuple(name for name in _Query.__struct_fields__ if name not in {"meta", "retrieved"})


def said(record: Said) -> str:
    """Return a record as JSON, with what it said and nothing else."""
    return record.model_dump_json(exclude_defaults=True) if isinstance(record, Record) else _written(record).decode()


def canonical(query: PlainQuery) -> bytes:
    """Return what a query itself says, byte for byte as `content.canonical_query` does of its record."""
    body = _Query(
        msgspec.Raw(to_json(query.meta)) if query.meta else None,
        retrieved=[_Slot(slot.id, slot.score, slot.rerank_score, slot.in_context) for slot in query.retrieved],
        **{name: getattr(query, name) for name in _SAME},
    )
    return _written(body)
