"""Citations in the text of a claim."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.citations import MAX_CITATIONS, Citation, cited_spans, cites, leading_marks

CONTEXT = ("c-1", "c-2", "c-3")
DOCUMENTS = {"c-1": "refunds.md", "c-2": "refunds.md", "c-3": None, "c-9": "plans.md"}


def names(text: str) -> list[str]:
    return [citation.chunk for citation in cites(text, CONTEXT, DOCUMENTS)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is free [1].", ["c-1"]),
        ("It is free [1][2].", ["c-1", "c-2"]),
        ("It is free [1, 3].", ["c-1", "c-3"]),
        ("It is free [1-3].", ["c-1", "c-2", "c-3"]),
        ("It is free [^2].", ["c-2"]),
        ("It is free 【2】.", ["c-2"]),
        ("It is free [doc 2] and [Source: 3].", ["c-2", "c-3"]),
        ("It is free¹ and quick².", ["c-1", "c-2"]),
        ("It is free [c-2].", ["c-2"]),
        ("It is free [c-2; c-1].", ["c-2", "c-1"]),
        ("It is free [1] [1] [c-1].", ["c-1"]),
        ("It is free [1](https://example.org).", ["c-1"]),
    ],
)
def test_marks_name_slots_or_chunks(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It is free.",
        "It was [sic] free.",
        "It was built in [2019].",
        "See [the guide](https://example.org/a1).",
        "Use `rows[1]` for the first.",
        "```\nrows[1]\n```",
        "[...]",
        "",
    ],
)
def test_brackets_that_cite_nothing_are_no_citations(text: str) -> None:
    assert names(text) == []


def test_a_candidate_outside_the_context_is_named_and_not_in_context() -> None:
    assert cites("It is free [c-9].", CONTEXT, DOCUMENTS) == (Citation("c-9", in_context=False),)


def test_a_document_is_cited_as_a_whole() -> None:
    assert cites("It is free [refunds.md].", CONTEXT, DOCUMENTS) == (
        Citation("refunds.md", in_context=True, whole_document=True),
    )
    assert cites("It is free [plans.md].", CONTEXT, DOCUMENTS) == (
        Citation("plans.md", in_context=False, whole_document=True),
    )


@pytest.mark.parametrize(
    ("text", "name"), [("[9]", "9"), ("[0]", "0"), ("[doc 12]", "doc 12"), ("[web-7f6a]", "web-7f6a")]
)
def test_a_fabricated_citation_is_named_as_it_was_written(text: str, name: str) -> None:
    assert cites(f"It is free {text}.", CONTEXT, DOCUMENTS) == (Citation(name, in_context=False),)


def test_a_chunk_whose_id_is_a_number_wins_over_the_slot_number() -> None:
    assert [c.chunk for c in cites("It is free [2].", ("7", "2", "1"))] == ["2"]
    assert [c.chunk for c in cites("It is free [3].", ("7", "2", "1"))] == ["1"]


def test_a_chunk_id_with_commas_and_blanks_is_read_whole() -> None:
    assert [c.chunk for c in cites("It is free [a, b 1].", ("a, b 1", "a"))] == ["a, b 1"]


def test_a_duplicate_chunk_is_counted_by_its_slot() -> None:
    assert [c.chunk for c in cites("[1] [2] [3]", ("a", "a", "b"))] == ["a", "b"]


def test_leading_marks_end_before_the_sentence() -> None:
    assert leading_marks("[1] It is free.") == 3
    assert leading_marks("¹ It is free.") == 1
    assert leading_marks("[sic] It is free.") == 0
    assert leading_marks("It is free [1].") == 0


def test_SEC17_reading_hostile_text_stays_linear_and_bounded() -> None:
    started = time.process_time()
    for unit in ("[1] ", "[1-999]", "[a1]", "[", "]", "¹", "`", "[1,", "【"):
        assert len(cites(unit * (300_000 // len(unit)), CONTEXT, DOCUMENTS)) <= MAX_CITATIONS
    assert time.process_time() - started < 10


@given(st.text(alphabet="[]【】1290-,;^ ac`¹docsource(.#", max_size=60), st.lists(st.text(max_size=4), max_size=5))
def test_every_citation_is_named_once_and_its_place_is_true(text: str, context: list[str]) -> None:
    found = cites(text, context)
    assert len({citation.chunk for citation in found}) == len(found)
    assert all(citation.in_context == (citation.chunk in context) for citation in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is free [1].", ["[1]"]),
        ("It is free [1, c-3; 9].", ["1", "c-3", "9"]),
        ("It is free [ 2 ] and [1-3].", ["[ 2 ]", "[1-3]"]),
        ("It is free¹² and 🙂 free².", ["¹²", "²"]),
        ("It is free [doc 2], see `a[1]`.", ["[doc 2]"]),
        ("An [aside] is no citation.", []),
    ],
)
def test_a_citation_is_found_where_it_stands(text: str, expected: list[str]) -> None:
    assert [text[span.start : span.end] for span in cited_spans(text, CONTEXT, DOCUMENTS)] == expected


@given(st.text(alphabet="[]【】^,;-– 123c🙂\r\n`¹²", max_size=60))
def test_spans_stand_apart_in_order_inside_the_text_and_name_what_cites_names(text: str) -> None:
    spans = cited_spans(text, CONTEXT, DOCUMENTS)
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    if len(spans) < MAX_CITATIONS:
        named = dict.fromkeys(citation.chunk for span in spans for citation in span.citations)
        assert list(named)[:MAX_CITATIONS] == [citation.chunk for citation in cites(text, CONTEXT, DOCUMENTS)]
