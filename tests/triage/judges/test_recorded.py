"""Verdicts and scores that came with the file."""

from __future__ import annotations

import pytest

from triage.core.judging import ChunkText, ClaimText, GroundingItem, PairScore, RelevanceItem, RelevanceScore
from triage.core.labels import Support
from triage.judges.recorded import RecordedGrounding, RecordedRelevance

CHUNKS = (ChunkText("c1", "One."), ChunkText("c2", None))


def words_on(*recorded: tuple[str | None, str | None, float | None]) -> list[PairScore]:
    item = GroundingItem("i", "Why?", (ClaimText("a", "A claim.", recorded=recorded),), CHUNKS)
    return RecordedGrounding().ground([item])[0]


def test_label_and_score_are_handed_on_as_the_file_has_them() -> None:
    assert words_on(("c1", "unsupported", 0.9)) == [PairScore("a", "c1", score=0.9, label=Support.UNSUPPORTED)]


def test_a_verdict_on_the_context_as_a_whole_has_no_chunk() -> None:
    assert words_on((None, "supported", None)) == [PairScore("a", None, label=Support.SUPPORTED)]


def test_a_chunk_given_by_id_only_keeps_its_recorded_verdict() -> None:
    assert words_on(("c2", None, 0.7)) == [PairScore("a", "c2", score=0.7)]


def test_a_chunk_outside_the_context_gets_no_word() -> None:
    assert words_on(("c9", "supported", 1.0)) == []


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.1, 1.1, 85.0])
def test_F28_F29_an_unusable_score_is_no_word_and_never_clamped(score: float) -> None:
    assert words_on(("c1", None, score)) == []
    assert words_on(("c1", "supported", score)) == [PairScore("a", "c1", label=Support.SUPPORTED)]
    assert RecordedRelevance().rate([RelevanceItem("i", "Why?", "So.", recorded=score)]) == [None]


def test_the_first_verdict_on_a_claim_and_a_chunk_counts() -> None:
    assert words_on(("c1", None, 0.2), ("c1", None, 0.9)) == [PairScore("a", "c1", score=0.2)]


def test_the_relevance_of_the_file_is_handed_on() -> None:
    items = [RelevanceItem("i", "Why?", "So.", recorded=0), RelevanceItem("j", "Why?", "So.")]
    assert RecordedRelevance().rate(items) == [RelevanceScore("i", score=0.0), None]
