"""RAGChecker files: its verdicts become a recorded judge's, and ours computed from them are its numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, refused
from triage.core.metrics import ClaimFacts, QueryFacts, measure
from triage.core.records import QueryRecord
from triage.formats.ragchecker import DEFINITIONS

E, N, C = "Entailment", "Neutral", "Contradiction"
RESULT: dict[str, Any] = {
    "query_id": "0",
    "query": "How long is the warranty?",
    "gt_answer": "Two years.",
    "response": "Two years, also for kettles.",
    "retrieved_context": [
        {"doc_id": "000", "text": "Two years on everything."},
        {"doc_id": "001", "text": "Kettles are excluded."},
    ],
    "response_claims": [["The warranty", "lasts", "two years"], ["It", "covers", "kettles"]],
    "gt_answer_claims": [["The warranty", "lasts", "two years"]],
    "answer2response": [E, N],
    "response2answer": [E],
    "retrieved2response": [[E, N], [N, C]],
    "retrieved2answer": [[E, N]],
    "metrics": {"faithfulness": 0.5, "claim_recall": 1.0},
}
#: Verdicts of RAGChecker's published example (examples/checking_outputs.json, first result), by their initials: one
#: word per claim, one letter per chunk; and the numbers it prints for it.
RETRIEVED = ["NENN", "NNNN", "NNNN", "NNNN", "NNNN", "NNNN", "NENN", "NNNN", "ENNE", "NNNE", "NNNN"]
RETRIEVED_REFERENCE = ("NENN NNNN NNNN ENNN EENN ENNE CCNN" + " NNNN" * 14 + " NENN").split()
IN_REFERENCE, IN_RESPONSE = "NEEEEEEEENC", "EEEEEECNEENNNNNENNNNEE"
PUBLISHED = {
    "precision": 0.7272727272727273,
    "recall": 0.5,
    "f1": 0.5925925925925926,
    "claim_recall": 0.22727272727272727,
    "context_precision": 0.75,
    "context_utilization": 1.0,
    "faithfulness": 0.36363636363636365,
    "noise_sensitivity_in_relevant": 0.18181818181818182,
    "noise_sensitivity_in_irrelevant": 0.0,
    "hallucination": 0.09090909090909091,
    "self_knowledge": 0.5454545454545454,
}


def document(*results: dict[str, Any], **more: Any) -> str:
    return json.dumps({"results": list(results), **more}, indent=2)


def faithfulness(query: QueryRecord) -> object:
    """Return our groundedness from the recorded verdicts of an imported query."""
    context = tuple(ids(query.retrieved))
    claims = tuple(
        ClaimFacts(
            key=str(number),
            supported=any(verdict.label == "supported" for verdict in claim.verdicts),
            supporting=frozenset(v.chunk for v in claim.verdicts if v.label == "supported" and v.chunk),
            cites=(),
        )
        for number, claim in enumerate(query.claims or ())
    )
    facts = QueryFacts(
        key=query.id,
        answer=query.answer,
        answerable=True,
        correct=False,
        abstained=False,
        candidates=context,
        context=context,
        blank=frozenset(),
        gold=None,
        claims=claims,
        relevance=None,
        latency_ms=None,
        context_tokens=None,
    )
    return measure(facts).faithfulness


def published() -> dict[str, Any]:
    words = {"E": E, "N": N, "C": C}
    return {
        **RESULT,
        "retrieved_context": [{"doc_id": f"00{n}", "text": f"text {n}"} for n in range(4)],
        "response_claims": [["claim", "number", str(n)] for n in range(len(RETRIEVED))],
        "gt_answer_claims": [["reference", "claim", str(n)] for n in range(len(RETRIEVED_REFERENCE))],
        "answer2response": [words[letter] for letter in IN_REFERENCE],
        "response2answer": [words[letter] for letter in IN_RESPONSE],
        "retrieved2response": [[words[letter] for letter in row] for row in RETRIEVED],
        "retrieved2answer": [[words[letter] for letter in row] for row in RETRIEVED_REFERENCE],
        "metrics": PUBLISHED,
    }


def share(flags: list[bool]) -> float:
    return sum(flags) / len(flags)


def numbers(query: QueryRecord) -> dict[str, object]:
    """Return RAGChecker's metrics by its formulas, from what was imported and nothing else."""
    chunks = ids(query.retrieved)
    backed = [{v.chunk for v in claim.verdicts if v.label == "supported"} for claim in query.claims or ()]
    right = [label == E for label in query.meta["answer2response"]]
    said = [label == E for label in query.meta["response2answer"]]
    found = [[label == E for label in row] for row in query.meta["retrieved2answer"]]
    relevant = {chunk for place, chunk in enumerate(chunks) if any(row[place] for row in found)}
    from_relevant = [bool(by & relevant) for by in backed]
    precision, recall = share(right), share(said)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "claim_recall": share([any(row) for row in found]),
        "context_precision": len(relevant) / len(chunks),
        "context_utilization": share([use for use, row in zip(said, found, strict=True) if any(row)]),
        "faithfulness": faithfulness(query),
        "noise_sensitivity_in_relevant": share([f and not r for f, r in zip(from_relevant, right, strict=True)]),
        "noise_sensitivity_in_irrelevant": share(
            [bool(by) and not f and not r for by, f, r in zip(backed, from_relevant, right, strict=True)]
        ),
        "hallucination": share([not by and not r for by, r in zip(backed, right, strict=True)]),
        "self_knowledge": share([not by and r for by, r in zip(backed, right, strict=True)]),
    }


def test_a_result_is_read_field_by_field() -> None:
    found = read(document(RESULT, metrics={"overall_metrics": {"precision": 50.0}}))
    query = found.query
    assert (found.format, found.errors) == ("ragchecker", [])
    assert (query.id, query.question, query.answer, query.reference) == (
        "0",
        "How long is the warranty?",
        "Two years, also for kettles.",
        "Two years.",
    )
    assert found.chunks == {"000": "Two years on everything.", "001": "Kettles are excluded."}
    first, second = query.claims or ()
    assert (first.text, second.text) == ("The warranty lasts two years", "It covers kettles")
    assert [(v.chunk, v.label, v.judge) for v in second.verdicts] == [
        ("000", "unsupported", "RAGChecker"),
        ("001", "contradicted", "RAGChecker"),
    ]
    assert query.meta["retrieved2answer"] == [[E, N]]
    assert query.gold is None


def test_the_numbers_of_the_published_example_follow_from_its_verdicts_to_6_places() -> None:
    query = read(document(published())).query
    assert numbers(query) == {name: pytest.approx(value, abs=1e-6) for name, value in PUBLISHED.items()}
    assert {score.metric: score.value for score in query.scores} == PUBLISHED


def test_its_scores_are_kept_with_tool_and_definition() -> None:
    scores = read(document(RESULT)).query.scores
    assert {(s.metric, s.value, s.tool, s.definition) for s in scores} == {
        ("faithfulness", 0.5, "ragchecker", "claims_single_chunk"),
        ("claim_recall", 1.0, "ragchecker", "reference_claims_single_chunk"),
    }
    assert all(DEFINITIONS.values())


def test_ids_that_are_numbered_per_question_do_not_mix_texts() -> None:
    other = {
        **RESULT,
        "query_id": "1",
        "retrieved_context": [{"doc_id": "000", "text": "b"}, {"doc_id": "001", "text": "c"}],
    }
    found = read(document(RESULT, other))
    assert found.errors == []
    assert len(found.chunks) == 4
    second = found.queries[1]
    assert [v.chunk for v in (second.claims or ())[0].verdicts] == ids(second.retrieved)


def test_input_that_was_not_checked_yet_is_read_without_claims() -> None:
    bare = {key: RESULT[key] for key in ("query_id", "query", "gt_answer", "response", "retrieved_context")}
    found = read(document(bare))
    assert (found.format, found.query.claims, found.query.scores) == ("ragchecker", None, [])


def test_claims_without_verdicts_are_left_to_the_other_judges() -> None:
    found = read(document({**RESULT, "retrieved2response": None}))
    assert [claim.verdicts for claim in found.query.claims or ()] == [[], []]


@pytest.mark.parametrize(
    "claims",
    [
        [{"sentence": "The warranty lasts two years and covers kettles.", "simpler": ["It lasts.", "It covers."]}],
        ["It lasts.", "It covers."],
    ],
)
def test_P13_nested_sentences_and_flat_statements_are_both_read(claims: list[Any]) -> None:
    found = read(document({**RESULT, "response_claims": claims}))
    assert [claim.text for claim in found.query.claims or ()] == ["It lasts.", "It covers."]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"response_claims": [{"statement": "x"}, "y"]}, "response_claims[0]"),
        ({"response_claims": "x"}, "response_claims"),
        ({"retrieved2response": [[E, N]]}, "retrieved2response"),
        ({"retrieved2response": [[E], [N, N]]}, "retrieved2response[0]"),
        ({"retrieved2response": [[E, "Maybe"], [N, N]]}, "retrieved2response[0][1]"),
        ({"retrieved_context": {"000": "x"}}, "retrieved_context"),
    ],
)
def test_a_result_that_does_not_fit_together_is_a_row_error_at_its_field(change: dict[str, Any], field: str) -> None:
    found = read(document(RESULT, {**RESULT, "query_id": "1", **change}))
    assert (found.error.field, len(found.queries)) == (field, 1)


def test_an_answer_without_claims_has_no_groundedness_where_ragchecker_writes_0() -> None:
    row = {**RESULT, "response_claims": [], "retrieved2response": [], "metrics": {"faithfulness": 0.0}}
    query = read(document(row)).query
    assert query.claims == []
    assert str(faithfulness(query)) == "no_claims"


def test_a_document_without_results_is_refused() -> None:
    error = refused(json.dumps({"results": {}, "metrics": {}}), "ragchecker")
    assert (error.code, error.expected) == ("no_queries", "a RAGChecker file with at least one question")


def test_lines_of_results_are_read_too() -> None:
    data = json.dumps(RESULT) + "\n" + json.dumps({**RESULT, "query_id": "1"}) + "\n"
    assert len(read(data).queries) == 2
