"""Sentences as spans."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.core.sentences import sentences

_PIECES = ["One two three. ", "word " * 150, "\n", "\n\n", "x" * 3000, "Is it? ", "😀 ", "\ud83d", "Dr. A. ", "\u2028"]


@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join) | st.text())
def test_spans_are_trimmed_in_order_and_leave_no_word_out(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert at <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()


def test_spans_do_not_drift_after_blank_lines_in_a_long_text() -> None:
    text = "word " * 750 + "\n\n" + "Is it? " + "x" * 3000 + "x" * 3000 + "One two three. " + "Here it ends."
    start, end = sentences(text)[-1]
    assert text[start:end] == "Here it ends."
