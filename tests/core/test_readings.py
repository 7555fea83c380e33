"""Readings: what the metrics say together, with the numbers they rest on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.core.facts import facts
from triage.core.metrics import measure
from triage.core.readings import Pair, State, crowding, load_bearing, read, where_the_loss_is
from triage.core.summary import Summary, summarise

HIGH = Summary(0.91, 391, {"no_claims": 9})
LOW_PRECISION = Summary(0.264, 400, {})
NOTHING = Summary(None, 0, {"no_gold": 94})
PAIRS = st.builds(
    lambda n, complete, found, correct: Pair(n, min(complete, n), min(n, max(complete, found)), min(correct, n)),
    *[st.integers(min_value=0, max_value=400)] * 4,
)


def test_S21_most_of_the_loss_happens_after_retrieval() -> None:
    reading = where_the_loss_is(Pair(n=400, complete=368, found=386, correct=248))
    assert (reading.state, reading.headline) == (State.WARN, "Most of the loss happens after retrieval.")
    assert reading.sentence == (
        "All evidence was in the context for 0.920 of 400 queries, accuracy is 0.620. At most 32 of the 152 failures "
        "can be missing evidence; at least 120 had all of it."
    )
    assert [part.text for part in reading.parts if part.is_number] == ["0.920", "0.620", "32", "120"]


def test_missing_evidence_can_explain_most_of_the_loss() -> None:
    reading = where_the_loss_is(Pair(n=100, complete=60, found=70, correct=50))
    assert reading.headline == "Missing evidence can explain most of the loss."
    assert "At most 40 of the 50 failures" in reading.sentence


def test_no_failure_is_no_loss() -> None:
    assert where_the_loss_is(Pair(n=10, complete=9, found=10, correct=10)).state is State.OK


@given(PAIRS)
def test_no_reading_claims_more_failures_than_there_are(pair: Pair) -> None:
    numbers = [int(p.text) for p in where_the_loss_is(pair).parts if p.is_number and "." not in p.text]
    assert not pair.n or sum(numbers) == pair.failing
    assert all(number >= 0 for number in numbers)


def test_S16_recall_0_55_beside_accuracy_0_80_means_a_quarter_answered_without_evidence() -> None:
    reading = load_bearing(Pair(n=200, complete=100, found=110, correct=160), Summary(0.5, 180, {}))
    assert (reading.state, reading.headline) == (State.WARN, "The corpus may not be load-bearing.")
    assert "at least 0.250 of them were answered right without any of their evidence" in reading.sentence
    assert "Look at faithfulness: 0.500 (n 180)" in reading.sentence


def test_evidence_found_at_least_as_often_as_right_answers_is_healthy() -> None:
    assert load_bearing(Pair(n=400, complete=368, found=386, correct=248), HIGH).state is State.OK
    assert load_bearing(Pair(n=4, complete=2, found=2, correct=2), HIGH).state is State.OK


def test_a_run_without_recall_leaves_the_pair_open() -> None:
    assert where_the_loss_is(Pair()).state is State.OPEN
    assert load_bearing(Pair(), NOTHING).state is State.OPEN


def test_groundedness_never_stands_without_precision_beside_it() -> None:
    crowded = crowding(HIGH, LOW_PRECISION)
    assert (crowded.state, crowded.headline) == (State.WARN, "The context is crowded.")
    assert crowded.sentence.startswith("Groundedness is 0.910 (n 391), context precision 0.264 (n 400)")
    assert crowding(HIGH, Summary(0.5, 10, {})).state is State.OK
    missing = crowding(HIGH, NOTHING)
    assert missing.state is State.OPEN
    assert "context precision without a value" in missing.sentence


def test_the_pair_counts_only_queries_with_both_a_recall_and_a_verdict() -> None:
    queries = [
        facts(context="A B", gold="A B", correct=True),
        facts(context="A", gold="A B"),
        facts(context="X", gold="A"),
        facts(gold=None),
        facts(correct=None),
        facts(answerable=False, gold=""),
    ]
    pair = Pair()
    for query in queries:
        pair.add(query, measure(query))
    assert (pair.n, pair.complete, pair.found, pair.correct) == (3, 1, 2, 1)
    readings = read(pair, summarise((query, measure(query)) for query in queries))
    assert [reading.reading for reading in readings] == ["loss", "crowding", "load_bearing"]
    assert not any(word in reading.sentence for reading in readings for word in ("nan", "None"))
