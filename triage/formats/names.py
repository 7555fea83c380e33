"""What tools and people call the same thing, and how a list of documents is told in their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triage.formats.cells import as_object, is_blank

#: Field of a query -> names it goes by in other files, best first. Compared without case, spaces, dashes and dots.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": ("id", "query_id", "question_id", "qid", "uuid", "example_id", "sample_id"),
    "question": ("question", "user_input", "query", "input", "prompt", "user_question", "frage"),
    "answer": ("answer", "response", "actual_output", "output", "generated_answer", "prediction", "completion"),
    "reference": (
        "reference",
        "ground_truth",
        "reference_answer",
        "expected_output",
        "expected_answer",
        "gold_answer",
        "gt_answer",
        "ideal_answer",
    ),
    "retrieved": (
        "retrieved",
        "retrieved_contexts",
        "retrieval_context",
        "retrieved_context",
        "contexts",
        "context",
        "documents",
        "passages",
        "chunks",
        "sources",
        "retrieved_context_ids",
        "retrieved_ids",
    ),
    "gold": ("gold", "gold_ids", "reference_context_ids", "relevant_ids", "relevant_documents", "expected_ids"),
    "correct": ("correct", "is_correct", "correctness", "passed", "success"),
    "answerable": ("answerable", "is_answerable"),
    "abstained": ("abstained", "refused"),
    "latency_ms": ("latency_ms", "latency_milliseconds", "duration_ms"),
    "context_tokens": ("context_tokens",),
    "cost": ("cost", "total_cost"),
    "trace_id": ("trace_id", "traceid"),
    "url": ("url", "link"),
}
_TEXTS = ("text", "content", "page_content", "document.content", "chunk", "passage", "body", "document")
_IDS = ("id", "doc_id", "document_id", "chunk_id", "document.id", "_id", "node_id", "docid")
_SCORES = ("score", "document.score", "similarity", "relevance_score", "document_score")
_METADATA = ("metadata", "document.metadata", "meta")
#: What may be known of a chunk besides -> names in a document's metadata.
_DETAILS: dict[str, tuple[str, ...]] = {
    "title": ("title", "document.name", "name", "file_name", "filename"),
    "url": ("url", "document.url", "link"),
    "document": ("document", "source", "source_id", "file", "file_path"),
    "section": ("section", "heading"),
}


def plain(name: str) -> str:
    """Return a name without what spellings differ in."""
    return "".join(char for char in name.casefold() if char.isalnum())


def fields_of(names: Iterable[str]) -> dict[str, str]:
    """Return field of a query -> the one of these names that stands for it, where there is one."""
    given = {plain(name): name for name in reversed(list(names))}
    found: dict[str, str] = {}
    for field, words in SYNONYMS.items():
        name = next((given[word] for word in map(plain, words) if word in given), None)
        if name is not None and name not in found.values():
            found[field] = name
    return found


def first(row: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - whatever stands there
    """Return the first value under these names that says something."""
    return next((row[name] for name in names if name in row and not is_blank(row[name])), None)


def document(value: object) -> dict[str, Any] | None:
    """Return a retrieved document as a slot without checked id (`id` may be missing); None where it is none."""
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        return None
    inner = value.get("document")
    if isinstance(inner, dict):
        value = {**value, **inner}
    more = as_object(first(value, _METADATA)) or {}
    slot = {"text": first(value, _TEXTS), "id": first(value, _IDS) or first(more, _IDS), "score": first(value, _SCORES)}
    if not isinstance(slot["text"], str) and slot["id"] is None:
        return None
    for field, names in _DETAILS.items():
        detail = first(more, names) or (first(value, names) if field != "document" else None)
        slot[field] = detail if isinstance(detail, str) else None
    return {name: part for name, part in slot.items() if part is not None}


def documents(value: object) -> list[dict[str, Any]] | None:
    """Return the documents a retriever gave back, in whatever spelling; None where the value holds none."""
    if isinstance(value, dict):
        inner = first(value, ("documents", "docs", "results", "chunks", "contexts", "nodes", "matches", "hits"))
        return documents(inner) if isinstance(inner, list) else None
    if not isinstance(value, list):
        return None
    slots = [document(item) for item in value]
    return None if None in slots else slots  # type: ignore[return-value] # no None is left
