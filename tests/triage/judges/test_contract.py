"""What every judge promises, whoever it is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.triage.judges.contract import GROUNDING, RELEVANCE, SLOW, grounding_items, relevance_items
from triage.core.judging import (
    ChunkText,
    ClaimText,
    GroundingItem,
    GroundingJudge,
    PairScore,
    RelevanceJudge,
    Task,
    is_usable_score,
)
from triage.core.labels import Support

every_grounding_judge = pytest.mark.parametrize("make", GROUNDING.values(), ids=GROUNDING.keys())
every_relevance_judge = pytest.mark.parametrize("make", RELEVANCE.values(), ids=RELEVANCE.keys())


@every_grounding_judge
def test_a_grounding_judge_keeps_its_identity(make: Callable[[], GroundingJudge]) -> None:
    judge = make()
    assert isinstance(judge, GroundingJudge)
    assert judge.identity == judge.identity == make().identity
    assert judge.identity.task is Task.GROUNDING
    assert 0 < judge.identity.threshold < 1
    judge.ground(grounding_items())
    assert judge.identity == make().identity


@every_relevance_judge
def test_a_relevance_judge_keeps_its_identity(make: Callable[[], RelevanceJudge]) -> None:
    judge = make()
    assert isinstance(judge, RelevanceJudge)
    assert judge.identity == judge.identity == make().identity
    assert judge.identity.task is Task.RELEVANCE
    assert judge.identity.fingerprint != ""


@every_grounding_judge
def test_every_word_is_a_score_in_range_or_a_label_or_an_error(make: Callable[[], GroundingJudge]) -> None:
    items = grounding_items()
    for item, words in zip(items, make().ground(items), strict=True):
        claims, chunks = {claim.key for claim in item.claims}, {chunk.key for chunk in item.chunks}
        for word in words:
            assert word.claim in claims
            assert word.chunk is None or word.chunk in chunks
            if word.error:
                assert word.score is None
            else:
                assert word.label is not None or word.score is not None
                assert word.score is None or is_usable_score(word.score)


@every_grounding_judge
def test_evidence_is_a_span_of_its_chunk(make: Callable[[], GroundingJudge]) -> None:
    items = grounding_items()
    for item, words in zip(items, make().ground(items), strict=True):
        texts = {chunk.key: chunk.text or "" for chunk in item.chunks}
        for word in words:
            if word.evidence is not None and word.chunk is not None:
                start, end = word.evidence
                assert 0 <= start < end <= len(texts[word.chunk])
                assert texts[word.chunk][start:end].strip()


@every_grounding_judge
def test_an_item_does_not_depend_on_its_batch_or_its_order(make: Callable[[], GroundingJudge]) -> None:
    items = grounding_items()
    together = make().ground(items)
    assert make().ground(items[::-1])[::-1] == together
    assert [make().ground([item])[0] for item in items] == together


@every_grounding_judge
def test_a_pair_does_not_depend_on_the_other_claims_and_chunks(make: Callable[[], GroundingJudge]) -> None:
    item = grounding_items()[0]
    words = {(w.claim, w.chunk): w for w in make().ground([item])[0]}
    for claim in item.claims:
        alone = GroundingItem("alone", item.question, (claim,), item.chunks[:2][::-1])
        for word in make().ground([alone])[0]:
            before = words[word.claim, word.chunk]
            assert before == word or (before.score is None and before.label is Support.UNSUPPORTED)


@every_grounding_judge
def test_a_chunk_without_text_gets_no_computed_word(make: Callable[[], GroundingJudge]) -> None:
    chunks = (ChunkText("blank", " \n"), ChunkText("absent", None))
    item = GroundingItem("i", "Why?", (ClaimText("a", "The plan is free of charge."),), chunks)
    assert make().ground([item]) == [[]]


@every_grounding_judge
def test_nothing_to_do_is_nothing_done(make: Callable[[], GroundingJudge]) -> None:
    assert make().ground([]) == []
    assert make().ground([GroundingItem("i", "Why?", (), (ChunkText("c", "Text."),))]) == [[]]


@every_grounding_judge
def test_a_thousand_claims_are_judged(make: Callable[[], GroundingJudge]) -> None:
    many = 1_000 if make not in SLOW else 100
    claims = tuple(
        ClaimText(f"k{i}", f"The plan number {i} costs {i} euros.", recorded=(("c", None, i / 1000),))
        for i in range(many)
    )
    item = GroundingItem("i", "What?", claims, (ChunkText("c", "The plan number 7 costs 7 euros. It is small."),))
    words = make().ground([item])[0]
    assert {word.claim for word in words} == {claim.key for claim in claims}


@every_relevance_judge
def test_a_relevance_score_is_in_range_or_an_error_or_no_word(make: Callable[[], RelevanceJudge]) -> None:
    items = relevance_items()
    words = make().rate(items)
    assert len(words) == len(items)
    for item, word in zip(items, words, strict=True):
        if word is not None:
            assert word.item == item.key
            assert is_usable_score(word.score) != bool(word.error)


@every_relevance_judge
def test_an_answer_does_not_depend_on_its_batch_or_its_order(make: Callable[[], RelevanceJudge]) -> None:
    items = relevance_items()
    together = make().rate(items)
    assert make().rate(items[::-1])[::-1] == together
    assert [make().rate([item])[0] for item in items] == together


@every_grounding_judge
def test_SEC17_a_pair_of_hostile_length_takes_seconds_not_minutes(make: Callable[[], GroundingJudge]) -> None:
    started = time.process_time()
    for unit in ("a", "((", ". ", "no ", "1,", "A b. ", "\n"):
        text = unit * (1_000_000 // len(unit))
        item = GroundingItem(
            "i", "Why?", (ClaimText("a", text, recorded=(("c", None, 0.5),)),), (ChunkText("c", text),)
        )
        words: list[PairScore] = make().ground([item])[0]
        assert all(not word.error or word.score is None for word in words)
    assert time.process_time() - started < 20
