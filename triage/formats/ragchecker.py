"""RAGChecker: the JSON of its evaluation, or of its input before claims were checked.

| RAGChecker | becomes |
| --- | --- |
| `query_id`, `query`, `response`, `gt_answer` | `id`, `question`, `answer`, `reference` |
| `retrieved_context[]` `doc_id`, `text` | `retrieved`, in this order; ids are numbered per question there: see below |
| `response_claims[]` (three parts, or a text) | `claims`, the parts joined by spaces |
| `retrieved2response[claim][chunk]` | a recorded verdict of that claim and chunk: Entailment = `supported`, Neutral = `unsupported`, Contradiction = `contradicted`, Abstain = `unsure` |
| `metrics` of a result | `scores` with tool `ragchecker` and a definition tag |
| `gt_answer_claims`, `answer2response`, `response2answer`, `retrieved2answer` | `meta` |
| `metrics` of the whole file | left out: ours are computed from the rows |

Groundedness is computed from the verdicts, so it equals RAGChecker's `faithfulness`, except that an answer without
claims has none (RAGChecker writes 0). Its `doc_id`s start at "000" for every question: the first text keeps the id, a
further text under it gets a mark made of the text. The file tells no gold ids; RAGChecker's retrieval metrics rest on
reference claims and stand beside ours.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triage.core.records import RecordError, describe
from triage.formats.adapter import Adapter, Object

LABELS = {
    "entailment": "supported",
    "neutral": "unsupported",
    "contradiction": "contradicted",
    "abstain": "unsure",
}
#: Metric -> tag of RAGChecker's definition.
DEFINITIONS: dict[str, str] = {
    "faithfulness": "claims_single_chunk",
    "precision": "response_claims_in_reference",
    "recall": "reference_claims_in_response",
    "f1": "f1_of_claims",
    "claim_recall": "reference_claims_single_chunk",
    "context_precision": "chunks_with_a_reference_claim",
    "context_utilization": "found_reference_claims_used",
    "noise_sensitivity_in_relevant": "wrong_claims_from_relevant_chunks",
    "noise_sensitivity_in_irrelevant": "wrong_claims_from_irrelevant_chunks",
    "hallucination": "wrong_claims_from_no_chunk",
    "self_knowledge": "right_claims_from_no_chunk",
}
_KEPT = ("gt_answer_claims", "answer2response", "response2answer", "retrieved2answer")
_READ = frozenset(
    {
        "query_id",
        "query",
        "gt_answer",
        "response",
        "retrieved_context",
        "response_claims",
        "retrieved2response",
        "metrics",
    }
)
_MARKS = frozenset({"gt_answer", "retrieved_context", "response_claims", "retrieved2response"})


def recognises(found: dict[str, set[str]]) -> bool:
    """Say whether these are the keys of a RAGChecker file, by path."""
    return any(len(found.get(path, set()) & _MARKS) > 1 for path in ("", "results[]"))


class RagChecker(Adapter):
    """A RAGChecker file being read."""

    title = producer = "RAGChecker"
    lists = ("results",)

    def convert(self, row: Object) -> Iterator[Object]:
        """Yield the query with its claims and their verdicts."""
        slots = self._slots(row.get("retrieved_context"))
        yield {
            "id": row.get("query_id"),
            "question": row.get("query"),
            "answer": row.get("response"),
            "reference": row.get("gt_answer") or None,
            "retrieved": slots,
            "claims": _claims(row, [slot["id"] for slot in slots or ()]),
            "scores": _scores(row.get("metrics")),
            "meta": {name: value for name, value in row.items() if name not in _READ and value is not None},
        }

    def _slots(self, retrieved: Any) -> list[Object] | None:  # noqa: ANN401 - JSON
        if retrieved is None:
            return None
        if not isinstance(retrieved, list):
            found = describe(retrieved)
            raise RecordError("retrieved_context", found, "a list of documents", "Write the documents as a list.")
        slots = [item if isinstance(item, dict) else {"text": item} for item in retrieved]
        return [
            {"id": self.chunk_ids.of(slot.get("doc_id"), slot.get("text")), "text": slot.get("text")} for slot in slots
        ]


def claim_texts(claims: Any, field: str) -> list[str]:  # noqa: ANN401 - JSON
    """Return claims as texts: from texts, from lists of parts, or from sentences with simpler statements in them.

    Raises:
        RecordError: one of them is something else.
    """
    if not isinstance(claims, list):
        raise RecordError(field, describe(claims), "a list of claims", "Write the claims as a list of texts.")
    texts: list[str] = []
    for number, claim in enumerate(claims):
        if isinstance(claim, str):
            texts.append(claim)
        elif isinstance(claim, list) and claim and all(isinstance(part, str) for part in claim):
            texts.append(" ".join(part.strip() for part in claim))
        elif isinstance(claim, dict) and isinstance(claim.get("simpler"), list):
            texts.extend(claim_texts(claim["simpler"], f"{field}[{number}].simpler"))
        else:
            found = describe(claim)
            raise RecordError(f"{field}[{number}]", found, "a text, or a list of its parts", "Write it as a text.")
    return texts


def _claims(row: Object, chunks: list[Any]) -> list[Object] | None:
    if row.get("response_claims") is None:
        return None
    texts = claim_texts(row["response_claims"], "response_claims")
    verdicts = row.get("retrieved2response")
    if verdicts is None:
        return [{"text": text} for text in texts]
    if not isinstance(verdicts, list) or len(verdicts) != len(texts):
        found = f"{len(verdicts)} rows of verdicts" if isinstance(verdicts, list) else describe(verdicts)
        remedy = "Check the claims again with RAGChecker."
        raise RecordError("retrieved2response", found, f"one for each of the {len(texts)} claims", remedy)
    return [
        {"text": text, "verdicts": _verdicts(line, chunks, number)}
        for number, (text, line) in enumerate(zip(texts, verdicts, strict=True))
    ]


def _verdicts(line: Any, chunks: list[Any], number: int) -> list[Object]:  # noqa: ANN401 - JSON
    field = f"retrieved2response[{number}]"
    if isinstance(line, str):
        return [{"chunk": None, "label": _label(line, field), "judge": "RAGChecker"}]
    if not isinstance(line, list) or len(line) != len(chunks):
        found = f"{len(line)} verdicts" if isinstance(line, list) else describe(line)
        remedy = "Check the claims again with RAGChecker."
        raise RecordError(field, found, f"one for each of the {len(chunks)} chunks", remedy)
    return [
        {"chunk": chunk, "label": _label(word, f"{field}[{place}]"), "judge": "RAGChecker"}
        for place, (chunk, word) in enumerate(zip(chunks, line, strict=True))
    ]


def _label(word: object, field: str) -> str:
    label = LABELS.get(word.strip().lower()) if isinstance(word, str) else None
    if label is None:
        raise RecordError(field, describe(word), "Entailment, Neutral or Contradiction", "Check the claims again.")
    return label


def _scores(metrics: object) -> list[Object]:
    if not isinstance(metrics, dict):
        return []
    return [
        {"metric": name, "value": value, "tool": "ragchecker", "definition": DEFINITIONS.get(name, "")}
        for name, value in metrics.items()
    ]
