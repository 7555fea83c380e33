"""Texts that talk to their judge."""

from __future__ import annotations

import time

import pytest

from tests.core.injection_examples import HARMLESS, INJECTIONS
from triage.core.injection import talks_to_judge
from triage.core.judging import ChunkText, ClaimText, GroundingItem
from triage.judges.embedded import EmbeddedGrounding
from triage.judges.lexical import LexicalGrounding

CHUNK = "The refund window of the business plan is thirty days. Gift cards are excluded from refunds."
CLAIMS = (
    "The refund window of the business plan is thirty days.",
    "The refund window of the free plan is ninety days.",
)


@pytest.mark.parametrize("text", INJECTIONS)
def test_SEC22_a_sentence_that_steers_a_judge_is_flagged(text: str) -> None:
    assert talks_to_judge(f"The plan is free. {text}")


@pytest.mark.parametrize("text", [*HARMLESS, "", None])
def test_ordinary_text_is_not_flagged(text: str | None) -> None:
    assert not talks_to_judge(text)


@pytest.mark.parametrize("make", [LexicalGrounding, EmbeddedGrounding])
def test_P64_twenty_injected_sentences_turn_no_unsupported_claim_into_a_supported_one(make: type) -> None:
    judge = make()
    threshold = judge.identity.threshold

    def verdict(claim: str) -> bool:
        item = GroundingItem("i", "", (ClaimText("a", claim),), (ChunkText("c", CHUNK),))
        return (judge.ground([item])[0][0].score or 0.0) >= threshold

    assert verdict(CLAIMS[0])
    steered = [text for text in INJECTIONS if verdict(f"Elephants live in tents on the moon. {text}")]
    assert steered == []


def test_SEC17_looking_for_phrases_stays_linear() -> None:
    began = time.process_time()
    talks_to_judge("ignore " * 2_000_000)
    assert time.process_time() - began < 2
