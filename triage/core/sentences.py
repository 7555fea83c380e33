"""Sentences of a text as spans, by a rule-based segmenter: linear, exact in code points, many languages."""

from __future__ import annotations

import re

import sentencex

_SURROGATE = re.compile("[\ud800-\udfff]")


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the [start, end) spans of the sentences of `text`, white space taken off both ends, blank ones left out.

    A lone surrogate, which the segmenter cannot read, counts as one ordinary character.
    """
    spans = []
    # Boundaries, not segments: between segments the segmenter may drop blank lines, and the offsets would drift.
    for boundary in sentencex.get_sentence_boundaries("en", _SURROGATE.sub("\ufffd", text)):
        sentence, start, end = boundary["text"], boundary["start_index"], boundary["end_index"]
        start, end = end - len(sentence.lstrip()), start + len(sentence.rstrip())
        if start < end:
            spans.append((start, end))
    return spans
