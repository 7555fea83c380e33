"""A model's cut of an answer: exact words or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.atomic import AtomicClaim, CutError, read_cut

ANSWER = "The plan is free. It is free for all \N{GRINNING FACE} users [1]."


def told(*pairs: tuple[object, object]) -> dict[str, Any]:
    return {"claims": [{"claim": claim, "quote": quote} for claim, quote in pairs]}


def test_each_claim_has_the_place_of_the_words_it_was_drawn_from() -> None:
    claims = read_cut(told(("The plan costs nothing.", "free"), ("All users pay nothing.", "all 😀 users [1]")), ANSWER)
    assert claims == (AtomicClaim("The plan costs nothing.", 12, 16), AtomicClaim("All users pay nothing.", 33, 48))
    assert [ANSWER[claim.start : claim.end] for claim in claims] == ["free", "all 😀 users [1]"]


def test_words_that_stand_twice_are_taken_where_the_claim_before_began_or_later() -> None:
    claims = read_cut(told(("a", "It is"), ("b", "free"), ("c", "The plan")), ANSWER)
    assert [claim.start for claim in claims] == [18, 24, 0]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, "wrong keys"),
        ({"claims": "The plan is free."}, "wrong keys"),
        ({"claims": [], "note": 1}, "wrong keys"),
        ({"claims": []}, "no claim"),
        ({"claims": ["The plan is free."]}, "claim 1 cannot be read: wrong keys"),
        ({"claims": [{"claim": "a", "quote": "free", "start": 3}]}, "wrong keys"),
        (told(("a", "free"), ("b", "costs nothing")), "claim 2 quotes words that do not stand in the answer"),
        (told(("a", "Free")), "do not stand"),
        (told(("a", "  ")), "no words"),
        (told((" ", "free")), "no words"),
        (told((3, "free")), "no words"),
        (told(("a" * 2001, "free")), "longer than 2,000"),
        (told(*[("a", "free")] * 1001), "more than 1,000"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_anything_else_spoils_the_cut_and_says_why(body: dict[str, Any], fault: str) -> None:
    with pytest.raises(CutError, match=fault):
        read_cut(body, ANSWER)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["claims", "claim", "quote"]), inner),
)


@given(st.dictionaries(st.sampled_from(["claims", "x"]), json_values), st.text(max_size=20))
def test_no_reply_gives_anything_but_spans_of_the_answer_or_a_named_fault(body: dict[str, Any], answer: str) -> None:
    try:
        claims = read_cut(body, answer)
    except CutError:
        return
    assert all(0 <= claim.start < claim.end <= len(answer) for claim in claims)
