"""What spans of one trace add up to: one question, what was retrieved for it, one answer.

Spans come in any order and a trace's spans may be far apart, so what they say is held until the file's end, up to a
limit; only questions, answers and documents are kept, not the spans.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from triage.formats.adapter import Object
from triage.formats.cells import is_blank
from triage.formats.errors import FileError
from triage.formats.names import first

#: Characters of questions, answers and documents held at once.
HELD_CHARS = 200_000_000
_ASKED = ("query", "question", "input", "user_input", "prompt", "user_message", "text", "content", "messages", "value")
_ANSWERED = ("answer", "output", "response", "result", "completion", "text", "content", "messages", "value", "choices")


@dataclass(slots=True)
class Trace:
    """One trace: the line it first came on, and what its spans said."""

    line: int
    question: str | None = None
    answer: str | None = None
    #: Whether question and answer come from the root span, which knows better than its children.
    from_root: bool = False
    retrieved: list[Object] | None = None
    reranked: list[Object] | None = None
    seconds: float | None = None
    cost: float | None = None
    error: str = ""
    scores: list[Object] = field(default_factory=list)
    ratings: list[Object] = field(default_factory=list)
    human: list[Object] = field(default_factory=list)
    correct: bool | None = None
    reference: str | None = None
    slice: Object = field(default_factory=dict)
    meta: Object = field(default_factory=dict)


class Traces:
    """The traces of a file, in the order in which they first came."""

    def __init__(self) -> None:
        self._traces: dict[str, Trace] = {}
        self._held = 0

    def of(self, key: str, line: int) -> Trace:
        """Return the trace of this id."""
        return self._traces.setdefault(key, Trace(line))

    def hold(self, *texts: str | None) -> None:
        """Count what is kept of a span.

        Raises:
            FileError: too much for one file.
        """
        self._held += 200 + sum(len(text) for text in texts if text)
        if self._held > HELD_CHARS:
            remedy = "Export fewer traces at once, or leave out what is not retrieval or the root."
            raise FileError("traces", "more traces than can be joined at once", "at most 200 MB of their text", remedy)

    def __iter__(self) -> Iterator[tuple[str, Trace]]:
        return iter(self._traces.items())


class Parts:
    """The retrievals of one trace."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, list[Object]]] = []

    def add(self, start: object, slots: list[Object]) -> list[Object]:
        """Take a retrieval in; return all documents by its start, each where it first came (twice in one: twice)."""
        began = moment(start)
        self._parts.append((began.isoformat() if began else "", slots))
        if len(self._parts) == 1:
            return slots
        found: dict[str, Object] = {}
        for _, part in sorted(self._parts, key=lambda one: one[0]):
            for slot in part:
                found.setdefault(str(slot["id"]), slot)
        return list(found.values())


def asked(value: Any) -> str | None:  # noqa: ANN401 - whatever a span recorded
    """Return the question in a span's input: a text, JSON in a text, an object, or messages (the user's last)."""
    return _said(value, _ASKED, ("user", "human"))


def answered(value: Any) -> str | None:  # noqa: ANN401 - whatever a span recorded
    """Return the answer in a span's output: a text, JSON in a text, an object, or messages (the assistant's last)."""
    return _said(value, _ANSWERED, ("assistant", "ai", "model"))


def _said(value: Any, names: tuple[str, ...], speakers: tuple[str, ...], depth: int = 0) -> str | None:  # noqa: ANN401
    if is_blank(value) or depth > 5:
        return None
    if isinstance(value, str):
        inner = opened(value)
        return value if inner is value else (_said(inner, names, speakers, depth + 1) or value)
    if isinstance(value, list):
        turns = [turn for turn in value if isinstance(turn, dict)]
        theirs = [turn for turn in turns if turn.get("role", turn.get("type", turn.get("message.role"))) in speakers]
        picked = (theirs or turns or value)[-1] if value else None
        return _said(picked, (*names, "message.content", "message"), speakers, depth + 1)
    if isinstance(value, dict):
        return _said(first(value, names), names, speakers, depth + 1)
    return str(value) if depth == 0 else None


def opened(text: str) -> Any:  # noqa: ANN401 - whatever the text spells
    """Return the object or list that a text spells as JSON; else the text itself."""
    if text.lstrip()[:1] not in {"{", "["}:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) else text


def moment(value: object) -> datetime | None:
    """Return a point in time: ISO 8601 (without a zone: UTC), or nanoseconds since 1970 (OTLP)."""
    try:
        if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
            return datetime.fromtimestamp(int(value) / 1e9, UTC)
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        found = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)


def seconds_between(start: object, end: object) -> float | None:
    """Return how long something took; None where a time is missing or they are the wrong way round."""
    began, ended = moment(start), moment(end)
    if began is None or ended is None or ended < began:
        return None
    return (ended - began).total_seconds()


def slots_of(trace: Trace) -> list[Object] | None:
    """Return the candidates of a trace; where a reranker spoke, only what it let through entered the context."""
    if trace.reranked is None:
        return trace.retrieved
    kept = {str(slot["id"]): slot.get("score") for slot in trace.reranked}
    before = {str(slot["id"]): slot for slot in trace.retrieved or ()}
    first_ones = [
        {
            **before.get(str(slot["id"]), {name: part for name, part in slot.items() if name != "score"}),
            "rerank_score": slot.get("score"),
        }
        for slot in trace.reranked
    ]
    others = [{**slot, "in_context": False} for key, slot in before.items() if key not in kept]
    return [*first_ones, *others]


def query_of(key: str, trace: Trace) -> Object:
    """Return the query of a trace."""
    return {
        "id": key,
        "question": trace.question,
        "answer": trace.answer,
        "retrieved": slots_of(trace),
        "reference": trace.reference,
        "reranker": "ok" if trace.reranked is not None else "",
        "correct": trace.correct,
        "scores": trace.scores,
        "human": trace.human,
        "human_scores": trace.ratings,
        "slice": trace.slice,
        "latency_ms": None if trace.seconds is None else round(trace.seconds * 1000, 3),
        "cost": trace.cost,
        "trace_id": key,
        "meta": {**trace.meta, **({"error": trace.error} if trace.error else {})},
    }
