"""Claims as flat stretches of an answer, whatever overlaps and whatever script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.core.segments import is_inside, segments


def test_claims_side_by_side_leave_the_words_between_them_alone() -> None:
    found = segments("Yes. One. Two.", {1: (5, 9), 2: (10, 14)})
    assert [(piece.text, piece.claims, piece.ends) for piece in found] == [
        ("Yes. ", (), ()),
        ("One.", (1,), (1,)),
        (" ", (), ()),
        ("Two.", (2,), (2,)),
    ]


def test_where_claims_overlap_the_shorter_one_comes_first_and_each_has_one_end() -> None:
    found = segments("abcdefgh", {1: (0, 6), 2: (4, 8)})
    assert [(piece.text, piece.claims, piece.ends) for piece in found] == [
        ("abcd", (1,), ()),
        ("ef", (2, 1), (1,)),
        ("gh", (2,), (2,)),
    ]


def test_a_claim_inside_another_and_two_over_the_same_words() -> None:
    found = segments("abcdef", {1: (0, 6), 2: (2, 4), 3: (2, 4)})
    assert [(piece.text, piece.claims, piece.ends) for piece in found] == [
        ("ab", (1,), ()),
        ("cd", (2, 3, 1), (2, 3)),
        ("ef", (1,), (1,)),
    ]


@pytest.mark.parametrize(
    "text",
    ["👩‍👩‍👧 yes 🇩🇪", "e\u0301te\u0301 a\u0300", "one\r\ntwo\r\nthree", "שלום עולם 123", "\u202eabc\u202c"],
)
def test_offsets_are_code_points_for_emoji_combining_marks_line_ends_and_right_to_left(text: str) -> None:
    middle = len(text) // 2
    found = segments(text, {1: (1, middle), 2: (middle, len(text))})
    assert "".join(piece.text for piece in found) == text
    assert "".join(piece.text for piece in found if 1 in piece.claims) == text[1:middle]


@given(st.text(max_size=40), st.data())
def test_the_pieces_are_the_text_and_each_claim_is_exactly_its_span(text: str, data: st.DataObject) -> None:
    edge = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(edge, edge).filter(lambda pair: pair[0] < pair[1]), max_size=6))
    spans = dict(enumerate(pairs, 1))
    found = segments(text, spans)
    assert "".join(piece.text for piece in found) == text
    for number, (start, end) in spans.items():
        assert "".join(piece.text for piece in found if number in piece.claims) == text[start:end]
        assert sum(number in piece.ends for piece in found) == 1


@pytest.mark.parametrize("span", [(None, None), (0, None), (2, 2), (3, 1), (-1, 2), (0, 5)])
def test_a_span_that_is_no_stretch_of_the_text_is_told(span: tuple[int | None, int | None]) -> None:
    assert not is_inside("abcd", span)
    assert is_inside("abcd", (0, 4))
