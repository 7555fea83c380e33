"""An answer cut into claims."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.claims import MAX_CLAIMS, split
from triage.core.policy import Policy


def texts(answer: str | None) -> list[str]:
    return [claim.text for claim in split(answer)]


def test_abbreviations_initials_and_decimals_do_not_end_a_sentence() -> None:
    assert texts(
        "Dr. Smith paid $3.50, i.e. a lot. See Fig. 3 for details. William J. Brennan Jr. was born in 1906."
    ) == [
        "Dr. Smith paid $3.50, i.e. a lot.",
        "See Fig. 3 for details.",
        "William J. Brennan Jr. was born in 1906.",
    ]


def test_long_list_items_are_claims_without_their_numbers_and_the_introduction_is_none() -> None:
    assert texts("To export a run:\n1. Open the settings page first.\n2. Click Save. Then wait a minute.") == [
        "Open the settings page first.",
        "Click Save. Then wait a minute.",
    ]


def test_short_list_items_are_one_claim_with_their_introduction() -> None:
    assert texts("It supports:\n- Windows\n- macOS 12\n- Linux\n\nThat is the whole list.") == [
        "It supports:\n- Windows\n- macOS 12\n- Linux",
        "That is the whole list.",
    ]


def test_code_is_never_cut_and_stays_with_the_line_that_introduces_it() -> None:
    assert texts("Run this:\n```\nmake x. Then\n\ny = 1. Done\n```\nIt takes two minutes.") == [
        "Run this:\n```\nmake x. Then\n\ny = 1. Done\n```",
        "It takes two minutes.",
    ]


def test_a_code_fence_that_never_closes_runs_to_the_end() -> None:
    assert texts("Use it so.\n\n```\nx = 1. Then more\n") == ["Use it so.", "```\nx = 1. Then more"]


def test_table_rows_are_claims_and_the_table_head_is_none() -> None:
    assert texts("| Plan | Space |\n|---|:--|\n| Basic | 2. GB |\n| Pro | 5 GB |") == [
        "| Basic | 2. GB |",
        "| Pro | 5 GB |",
    ]


def test_a_quoted_passage_stays_whole() -> None:
    assert texts('He said "Stop. Go away." Then he left the room.') == [
        'He said "Stop. Go away."',
        "Then he left the room.",
    ]


def test_the_marks_of_a_quoted_block_are_not_part_of_a_claim() -> None:
    assert texts("> The first line is here. The second\n> line goes on.\n> A third one.") == [
        "The first line is here.",
        "The second\n> line goes on.",
        "A third one.",
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The plan is free [1]. It has limits [doc 4].", ["The plan is free [1].", "It has limits [doc 4]."]),
        ("The plan is free.[1][2] It has limits.", ["The plan is free.[1][2]", "It has limits."]),
        ("The plan is free. [1] It has limits.", ["The plan is free. [1]", "It has limits."]),
        ("The plan is free.¹ It has some limits.²", ["The plan is free.¹", "It has some limits.²"]),
        ("The plan is free. ² It has some limits.", ["The plan is free. ²", "It has some limits."]),
    ],
)
def test_a_citation_stays_with_the_sentence_it_follows(answer: str, expected: list[str]) -> None:
    assert texts(answer) == expected


def test_a_bracket_that_cites_nothing_starts_a_sentence() -> None:
    assert texts("The plan is free. [Sic] it was said so.") == ["The plan is free.", "[Sic] it was said so."]


def test_fragments_merge_with_their_neighbour() -> None:
    assert texts("Yes. The plan costs 5 USD. It rained until 5 p.m. Version v1.2. is old now.") == [
        "Yes. The plan costs 5 USD.",
        "It rained until 5 p.m.",
        "Version v1.2. is old now.",
    ]


@pytest.mark.parametrize(
    "non_claim",
    [
        "Hello!",
        "Sure.",
        "Great question!",
        "I hope this helps!",
        "Let me know if you need anything else.",
        "Would you like to know more?",
        "Is it so [3]?",
        "I'm not sure.",
        "I’m not entirely sure about that.",
        "It depends.",
        "I cannot find that in the documents.",
        "这是什么？",
        "👍",
        "# Overview of the plans",
        "---",
    ],
)
def test_what_claims_nothing_is_left_out(non_claim: str) -> None:
    assert texts(non_claim) == []
    assert texts(f"{non_claim}\n\nThe plan costs 5 USD.") == ["The plan costs 5 USD."]


def test_a_long_sentence_that_also_hedges_is_still_a_claim() -> None:
    sentence = (
        "Although the older handbook does not mention it, the refund window of the business plan is thirty days "
        "from the day of purchase."
    )
    assert texts(sentence) == [sentence]


def test_a_title_is_left_out_unless_it_is_the_whole_answer() -> None:
    assert texts("Refunds\n\nYou have thirty days for a refund.") == ["You have thirty days for a refund."]
    assert texts("Paris") == ["Paris"]
    assert texts("42") == ["42"]


@pytest.mark.parametrize("answer", [None, "", "  \n ", "…", "?!", "🙂🙂"])
def test_F42_an_answer_without_a_word_has_no_claims(answer: str | None) -> None:
    assert split(answer) == []


def test_P01_a_refusal_has_no_claims() -> None:
    assert split("I cannot find that.") == []


def test_the_refusals_left_out_are_those_of_the_policy() -> None:
    assert split("Computer says no today.", Policy(abstention_patterns=("computer says no",))) == []
    assert texts("Computer says no today.") == ["Computer says no today."]


def test_F38_scripts_without_spaces_and_characters_outside_the_bmp_keep_exact_spans() -> None:
    answer = "今天天气很好。我们去公园吧！ 😀 Then we went home."
    spans = split(answer)
    assert [answer[claim.start : claim.end] for claim in spans] == [claim.text for claim in spans]
    assert spans[0].text == "今天天气很好。"
    assert spans[-1].text.endswith("Then we went home.")


def test_line_separators_inside_a_sentence_do_not_cut_it() -> None:
    assert texts("The first half\u2028and the second half.") == ["The first half\u2028and the second half."]


def test_carriage_returns_are_no_part_of_a_claim() -> None:
    assert texts("The plan is free.\r\n\r\nIt has some limits.\r\n") == ["The plan is free.", "It has some limits."]


def test_an_answer_has_at_most_a_thousand_claims() -> None:
    assert len(split("The plan is free of charge. " * (MAX_CLAIMS + 50))) == MAX_CLAIMS


@given(
    st.text(max_size=300)
    | st.lists(
        st.sampled_from(
            ["The plan is free. ", "\n", "- item\n", "[1]", "```\n", "| a |\n", "¹ ", "> ", "Is it? ", "x. ", "# "]
        ),
        max_size=40,
    ).map("".join)
)
def test_spans_are_exact_ordered_apart_and_hold_a_word(answer: str) -> None:
    at = 0
    for claim in split(answer):
        assert claim.text == answer[claim.start : claim.end]
        assert at <= claim.start < claim.end
        assert any(char.isalnum() for char in claim.text)
        assert claim.text == claim.text.strip()
        at = claim.end


@pytest.mark.parametrize(
    "unit", ["a", ". ", '"', "(", "[1] ", "- a\n", "|\n", "```\n", "[[", "Is it:\n- b\n", "x [1]?", "]"]
)
def test_SEC17_splitting_hostile_text_stays_linear(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        started = time.process_time()
        split(text)
        return time.process_time() - started

    assert seconds(400_000) < 4


def test_F32_an_answer_of_ten_megabytes_is_split_in_seconds() -> None:
    started = time.process_time()
    assert len(split("The plan is free of charge today. " * 300_000)) == MAX_CLAIMS
    assert time.process_time() - started < 5
