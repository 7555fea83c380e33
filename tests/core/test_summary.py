"""Run-level numbers: value, n, reasons and intervals, for every key."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.facts import cite, claim, claims, facts
from triage.core.intervals import mean_interval, wilson
from triage.core.metrics import Missing, QueryFacts, measure
from triage.core.summary import RUN_LEVEL_KEYS, Summariser, Summary, percentile, summarise

QUERIES = st.builds(
    lambda context, gold, words, **other: facts(
        context=context,
        gold=gold,
        claims=tuple(claim(f"c{n}", word, "A" if word else "", (cite("A", word),)) for n, word in enumerate(words)),
        **other,
    ),
    context=st.sampled_from([None, "", "A", "B", "A B B"]),
    gold=st.sampled_from([None, "", "A", "A C"]),
    words=st.lists(st.sampled_from([True, False, None]), max_size=3),
    correct=st.sampled_from([True, False, None]),
    answerable=st.booleans(),
    abstained=st.booleans(),
    relevance=st.sampled_from([None, math.nan, 0.0, 0.3, 1.0]),
    latency_ms=st.sampled_from([None, 10.0, 900.0]),
    context_tokens=st.sampled_from([None, 0.0, 512.0]),
)


def summed(*queries: QueryFacts) -> dict[str, Summary]:
    return summarise((query, measure(query)) for query in queries)


@given(st.lists(QUERIES, max_size=12))
def test_n_and_the_left_out_add_up_to_the_queries_for_every_key(queries: list[QueryFacts]) -> None:
    result = summed(*queries)
    assert tuple(result) == RUN_LEVEL_KEYS
    for key, summary in result.items():
        assert summary.n + sum(summary.left_out.values()) == len(queries), key
        assert (summary.value is None) == (summary.n == 0), key
        assert summary.value is None or math.isfinite(summary.value), key
        if summary.low is not None and summary.high is not None and summary.value is not None:
            assert summary.low <= summary.value <= summary.high, key


@given(st.lists(QUERIES, max_size=12), st.integers(min_value=0, max_value=12))
def test_batches_give_to_the_last_bit_what_one_query_after_the_other_gives(queries: list[QueryFacts], cut: int) -> None:
    rows = [(query, measure(query)) for query in queries]
    batches = Summariser()
    batches.add_all(rows[:cut])
    batches.add_all(rows[cut:])
    assert batches.result() == summarise(rows)


@given(st.lists(QUERIES, min_size=2, max_size=12))
def test_one_pass_gives_the_same_mean_and_interval_as_the_list(queries: list[QueryFacts]) -> None:
    recalls = [m.context_recall for m in map(measure, queries) if not isinstance(m.context_recall, Missing)]
    summary = summed(*queries)["context_recall"]
    interval = mean_interval(recalls)
    if interval is None:
        assert summary.low is None
        return
    assert summary.value == pytest.approx(sum(recalls) / len(recalls), abs=1e-12)
    if summary.value in (0.0, 1.0):
        assert (summary.low, summary.high) == wilson(int(summary.value) * len(recalls), len(recalls))
        return
    assert (summary.low, summary.high) == pytest.approx((max(0, interval[0]), min(1, interval[1])), abs=1e-9)


def test_accuracy_leaves_the_undecided_out_aloud() -> None:
    summary = summed(facts(correct=True), facts(correct=False), facts(correct=None))["accuracy"]
    assert (summary.value, summary.n, summary.left_out) == (0.5, 2, {"undecided": 1})
    assert (summary.low, summary.high) == wilson(1, 2)


def test_all_evidence_and_some_evidence_are_two_readings() -> None:
    result = summed(facts(context="A B", gold="A B"), facts(context="A", gold="A B"), facts(context="X", gold="A"))
    assert result["evidence_complete"].value == 1 / 3
    assert result["evidence_found"].value == 2 / 3
    assert result["context_recall"].value == pytest.approx(0.5)


def test_answers_with_any_unsupported_claim_are_a_different_number_than_faithfulness() -> None:
    result = summed(facts(claims=claims(9, 10)), facts(claims=claims(10, 10)), facts(claims=()))
    assert result["faithfulness"].value == pytest.approx(0.95)
    assert result["any_unsupported"].value == 0.5
    assert result["any_unsupported"].left_out == {"no_claims": 1}


def test_false_answers_are_over_the_unanswerable_and_over_abstentions_over_the_answerable() -> None:
    result = summed(
        facts(answerable=False, gold="", abstained=True),
        facts(answerable=False, gold="", abstained=False),
        facts(abstained=True),
        facts(),
        facts(),
    )
    false, over = result["false_answer_rate"], result["over_abstention_rate"]
    assert (false.value, false.n, false.left_out) == (0.5, 2, {"answerable": 3})
    assert (over.value, over.n, over.left_out) == (pytest.approx(1 / 3), 3, {"not_answerable": 2})


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_a_run_without_any_answer_declines_nothing(nothing: str | None) -> None:
    silent = [facts(answer=nothing, abstained=True), facts(answer=nothing, abstained=True, answerable=False)]
    result = summed(*silent)
    for key in ("false_answer_rate", "over_abstention_rate"):
        assert (result[key].value, result[key].n, result[key].left_out) == (None, 0, {"no_answers": 2})
    over = summed(*silent, facts())["over_abstention_rate"]
    assert (over.value, over.n) == (0.5, 2), "one answer, and whoever gave none has declined"


def test_P10_P12_a_failed_judge_is_left_out_with_a_count_and_ruins_nothing() -> None:
    result = summed(facts(relevance=0.2), facts(relevance=math.nan), facts(relevance=0.6))["answer_relevance"]
    assert (result.value, result.n, result.left_out) == (pytest.approx(0.4), 2, {"not_scored": 1})


def test_P08_a_run_that_retrieved_nothing_has_recall_zero_and_no_precision() -> None:
    result = summed(*[facts(context="", gold="A")] * 3)
    assert (result["context_recall"].value, result["context_recall"].n) == (0.0, 3)
    assert (result["context_precision"].value, result["context_precision"].left_out) == (None, {"empty_context": 3})


def test_perfect_is_exactly_one_over_many() -> None:
    result = summed(*[facts(context="A B", gold="A B", claims=claims(3, 3), relevance=1.0, correct=True)] * 7)
    for key in ("accuracy", "context_recall", "context_precision", "faithfulness", "answer_relevance"):
        assert (result[key].value, result[key].high) == (1.0, 1.0), key


@given(st.lists(st.floats(min_value=0, max_value=1e6), min_size=1, max_size=40))
def test_the_mean_is_the_correctly_rounded_sum_over_n(tokens: list[float]) -> None:
    queries = [dataclasses.replace(facts(), context_tokens=value) for value in tokens]
    assert summed(*queries)["context_tokens"].value == pytest.approx(math.fsum(tokens) / len(tokens), rel=1e-15, abs=0)


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([10, 20, 30, 40], 50) == 20
    assert percentile(range(1, 101), 95) == 95
    assert percentile([7], 95) == 7
    result = summed(*[facts(latency_ms=float(n)) for n in range(1, 21)], facts())
    assert (result["latency_p50_ms"].value, result["latency_p95_ms"].value) == (10.0, 19.0)
    assert result["latency_p95_ms"].left_out == {"missing": 1}
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


def test_a_single_value_has_no_interval() -> None:
    summary = summed(facts(relevance=0.4))["answer_relevance"]
    assert (summary.value, summary.n, summary.low, summary.high) == (0.4, 1, None, None)


def test_amounts_are_not_cut_at_one() -> None:
    queries = [dataclasses.replace(facts(), context_tokens=tokens) for tokens in (100.0, 300.0)]
    summary = summed(*queries)["context_tokens"]
    assert summary.value == 200.0
    assert summary.high is not None
    assert summary.high > 300.0
