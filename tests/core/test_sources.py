"""Claims that rest on summaries alone, and what the sources of those come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.sources import Standing, resting_on, sources_of, standing

keys = st.frozensets(st.sampled_from("abcdef"), max_size=5)


@given(keys, keys)
def test_a_claim_rests_on_summaries_alone_when_no_other_chunk_supports_it(
    supporting: frozenset[str], summaries: frozenset[str]
) -> None:
    resting = resting_on(supporting, summaries)
    assert resting == (supporting if not supporting - summaries else frozenset())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([True, False, None], Standing.AGREE),
        ([False, False], Standing.DISAGREE),
        ([False, None], Standing.UNKNOWN),
        ([None], Standing.UNKNOWN),
        ([], Standing.UNKNOWN),
    ],
)
def test_one_source_is_enough_and_silence_is_no_word(words: list[bool | None], found: Standing) -> None:
    assert standing(words) is found


def test_the_sources_of_several_summaries_are_taken_together() -> None:
    made_from = {"s": ("a", "b"), "t": ("b", "c"), "u": ("d",)}
    assert sources_of(["s", "t", "gone"], made_from) == frozenset("abc")
