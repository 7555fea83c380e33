"""Metrics: the oracle rows for retrieval and claims, the named reasons, and what must hold for every input."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.facts import cite, claim, claims, facts
from triage.core.correctness import correctness
from triage.core.metrics import (
    Missing,
    QueryFacts,
    effective_abstained,
    measure,
    measure_deciding,
    value_of,
)

CHUNKS = st.sampled_from("ABCDEFGH")
SLOTS = st.lists(CHUNKS, max_size=12).map(tuple)
GOLD = st.frozensets(CHUNKS, max_size=5)


def ranks(hits: list[int]) -> str:
    """Return a context with gold `G` at the positions where `hits` is 1; each gold chunk is another one."""
    return " ".join(f"G{n}" if hit else f"x{n}" for n, hit in enumerate(hits))


def hits(pattern: list[int]) -> QueryFacts:
    gold = " ".join(f"G{n}" for n, hit in enumerate(pattern) if hit) or "G-elsewhere"
    return facts(context=ranks(pattern), gold=gold)


def test_O1_three_gold_of_twenty_slots_is_precision_0_15() -> None:
    assert measure(hits([1, 1, 1] + [0] * 17)).context_precision == 0.15


def test_O2_hits_at_ranks_2_9_17_give_0_2995643() -> None:
    pattern = [int(rank in (2, 9, 17)) for rank in range(1, 21)]
    assert measure(hits(pattern)).context_precision_at_ranks == pytest.approx(0.2995643, abs=5e-8)


def test_O2b_we_divide_by_the_hits_and_not_by_all_gold_as_trec_eval_does() -> None:
    pattern = [int(rank in (2, 9, 17)) for rank in range(1, 21)]
    gold = frozenset({"G1", "G8", "G16", *(f"far{n}" for n in range(8))})
    ours = measure(dataclasses.replace(hits(pattern), gold=gold))
    by_hits = value_of(ours.context_precision_at_ranks)
    assert by_hits == pytest.approx(0.2995643, abs=5e-8)
    by_all_gold = (by_hits or 0) * 3 / 11  # what an imported `map` would say
    assert by_all_gold == pytest.approx(0.0816993, abs=5e-8)
    assert ours.context_recall == 3 / 11


@pytest.mark.parametrize(("pattern", "expected"), [([1, 0, 1, 0], 5 / 6), ([0, 1], 0.5), ([1, 0], 1.0), ([0, 0], 0.0)])
def test_O3_rank_weighted_precision_of_short_lists(pattern: list[int], expected: float) -> None:
    assert measure(hits(pattern)).context_precision_at_ranks == pytest.approx(expected, abs=1e-15)


def test_O4_perfect_ranking_is_exactly_one_and_an_empty_context_has_no_value() -> None:
    assert measure(hits([1])).context_precision_at_ranks == 1.0
    assert measure(hits([0, 1])).context_precision_at_ranks == 0.5
    assert measure(facts(context="")).context_precision_at_ranks is Missing.EMPTY_CONTEXT


def test_P04_three_gold_at_the_top_are_exactly_one_and_pass_a_threshold_of_one() -> None:
    metrics = measure(hits([1, 1, 1]))
    assert metrics.context_precision_at_ranks == 1.0
    assert not metrics.context_precision_at_ranks < 1.0


def test_O5_a_duplicate_takes_a_slot_each_time_and_counts_once_in_recall() -> None:
    metrics = measure(facts(context="A A X B", gold="A B"))
    assert metrics.context_precision == 0.75
    assert value_of(metrics.context_precision_at_ranks) == pytest.approx(0.9167, abs=5e-5)
    assert metrics.context_recall == 1.0


def test_O6_precision_and_recall_by_ids() -> None:
    gold = "doc_1 doc_4 doc_5 doc_6"
    assert measure(facts(context="doc_1 doc_2 doc_3 doc_4", gold=gold)).context_precision == 0.5
    assert measure(facts(context="doc_1 doc_2 doc_3", gold=gold)).context_recall == 0.25


def test_O7_a_chunk_repeated_four_times_never_lifts_recall_over_one() -> None:
    assert measure(facts(context="A A A A", gold="A B")).context_recall == 0.5


def test_O8_one_hit_at_rank_two_has_precision_at_ranks_one_half() -> None:
    assert measure(hits([0, 1])).context_precision_at_ranks == 0.5


def test_O9_two_of_three_slots_relevant_by_label_threshold() -> None:
    assert measure(hits([0, 1, 0])).context_precision == pytest.approx(1 / 3)
    assert measure(hits([0, 1, 0])).context_precision_at_ranks == 0.5


def test_O10_three_of_eleven_gold_is_recall_0_2727() -> None:
    gold = " ".join(f"g{n}" for n in range(11))
    query = facts(context="g0 g1 g2 x", gold=gold, candidates="g0 g1 g2 x y")
    assert value_of(measure(query).context_recall) == pytest.approx(0.2727, abs=5e-5)
    assert value_of(measure(query).candidate_recall) == pytest.approx(0.2727, abs=5e-5)


def test_O_phoenix_first_hit_at_rank_three_has_precision_one_third() -> None:
    assert measure(hits([0, 0, 1])).context_precision_at_ranks == pytest.approx(1 / 3)


def test_O11_one_of_two_claims_supported_is_one_half() -> None:
    assert measure(facts(claims=claims(1, 2))).faithfulness == 0.5


def test_O12_zero_claims_have_no_faithfulness_never_0_or_1() -> None:
    assert measure(facts(claims=())).faithfulness is Missing.NO_CLAIMS


def test_O13_seventeen_distractors_leave_faithfulness_alone() -> None:
    few = facts(context="A B C", gold="A B C", claims=claims(2, 3))
    many = dataclasses.replace(few, context=("A", "B", "C", *(f"x{n}" for n in range(17))))
    assert measure(few).faithfulness == measure(many).faithfulness == 2 / 3
    assert (measure(few).context_precision, measure(many).context_precision) == (1.0, 0.15)


def alce() -> QueryFacts:
    """Return the answer of O14: S1[1][2] (chunk 1 supports, 2 does not), S2[3] not, S3 none, S4[9] of 3 chunks."""
    return facts(
        context="1 2 3",
        gold="1",
        claims=(
            claim("s1", True, "1", (cite("1"), cite("2", supports=False))),
            claim("s2", False, "", (cite("3", supports=False),)),
            claim("s3", False),
            claim("s4", False, "", (cite("9", None, in_context=False),)),
        ),
    )


def test_O14_citation_precision_counts_every_citation_and_the_fabricated_one_against() -> None:
    assert measure(alce()).citation_precision == 0.25


def test_O15_two_citations_that_only_jointly_support_are_zero_of_two() -> None:
    both = (cite("1", supports=False), cite("2", supports=False))
    assert measure(facts(context="1 2", claims=(claim("s", False, "", both),))).citation_precision == 0.0


def test_O16_one_good_and_one_fabricated_citation_are_one_half() -> None:
    both = (cite("1"), cite("9", None, in_context=False))
    assert measure(facts(context="1", claims=(claim("s", True, "1", both),))).citation_precision == 0.5


def test_O17_coverage_counts_citations_of_context_chunks_only() -> None:
    assert measure(alce()).citation_coverage == 2 / 4


def test_O18_faithfulness_is_the_strict_share_of_entailed_claims() -> None:
    assert measure(facts(claims=claims(3, 10))).faithfulness == 0.3


def test_O19_faithfulness_context_precision_and_recall_of_the_small_matrix() -> None:
    query = facts(context="A B", gold="A C", claims=claims(3, 5))
    metrics = measure(query)
    assert (metrics.faithfulness, metrics.context_precision, metrics.context_recall) == (0.6, 0.5, 0.5)


def test_P01_an_answer_without_claims_is_apart_from_one_whose_judge_failed() -> None:
    assert measure(facts(claims=(), abstained=True)).faithfulness is Missing.NO_CLAIMS
    assert measure(facts(claims=(claim("c", None),))).faithfulness is Missing.JUDGE_ERROR


def test_P03_retrieved_nothing_is_recall_zero_and_no_gold_is_no_recall() -> None:
    nothing = measure(facts(context="", gold="d1"))
    assert (nothing.context_recall, nothing.context_precision) == (0.0, Missing.EMPTY_CONTEXT)
    assert measure(facts(context="d1", gold="")).context_recall is Missing.NO_GOLD


def test_P06_one_chunk_and_one_gold_can_only_be_zero_or_one() -> None:
    assert measure(facts(context="A", gold="A")).context_recall == 1.0
    assert measure(facts(context="B", gold="A")).context_recall == 0.0


def test_unknown_retrieval_is_not_an_empty_one() -> None:
    metrics = measure(facts(context=None, gold="A"))
    assert metrics.context_recall is Missing.UNKNOWN_RETRIEVAL
    assert metrics.candidate_recall is Missing.UNKNOWN_RETRIEVAL
    assert metrics.context_precision is Missing.UNKNOWN_RETRIEVAL


def test_gold_outside_the_context_but_among_the_candidates_counts_in_candidate_recall_alone() -> None:
    metrics = measure(facts(context="X", gold="A B", candidates="X A"))
    assert (metrics.context_recall, metrics.candidate_recall) == (0.0, 0.5)


def test_an_unanswerable_query_has_no_recall_and_no_precision() -> None:
    metrics = measure(facts(answerable=False, gold=""))
    assert metrics.context_recall is Missing.NOT_ANSWERABLE
    assert metrics.context_precision is Missing.NO_GOLD


def test_claims_over_an_empty_context_are_unsupported_whatever_a_judge_says() -> None:
    assert measure(facts(context="", claims=claims(2, 2))).faithfulness == 0.0


def test_claims_over_an_all_blank_context_are_unsupported_and_not_a_judge_error() -> None:
    query = facts(context="A B", claims=(claim("c", None),), blank=frozenset("AB"))
    assert measure(query).faithfulness == 0.0


def test_a_blank_chunk_takes_a_slot_and_supports_nothing() -> None:
    query = facts(context="A B", gold="A", claims=(claim("c", True, "B", (cite("B"),)),), blank=frozenset("B"))
    metrics = measure(query)
    assert (metrics.context_precision, metrics.faithfulness, metrics.citation_precision) == (0.5, 0.0, 0.0)


def test_a_claim_no_judge_scored_leaves_faithfulness_without_a_value() -> None:
    assert measure(facts(claims=(claim("a"), claim("b", None)))).faithfulness is Missing.JUDGE_ERROR


def test_citations_of_whole_documents_stay_in_the_denominator_and_cover_nothing() -> None:
    query = facts(claims=(claim("c", True, "A", (cite("doc", None, whole=True),)),))
    metrics = measure(query)
    assert (metrics.citation_precision, metrics.citation_coverage) == (0.0, 0.0)


def test_a_citation_nobody_scored_leaves_citation_precision_without_a_value() -> None:
    assert measure(facts(claims=(claim("c", True, "A", (cite("A", None),)),))).citation_precision is Missing.JUDGE_ERROR


def test_no_citations_is_named() -> None:
    assert measure(facts(claims=claims(1, 1))).citation_precision is Missing.NO_CITATIONS
    assert measure(facts(claims=())).citation_coverage is Missing.NO_CLAIMS


def test_support_from_gold_is_the_share_of_supported_claims_that_gold_supports() -> None:
    query = facts(context="A B", gold="A", claims=(claim("a", True, "A B"), claim("b", True, "B"), claim("c", False)))
    assert measure(query).support_from_gold == 0.5


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (facts(gold=""), Missing.NO_GOLD),
        (facts(claims=claims(0, 2)), Missing.NO_SUPPORTED_CLAIM),
        (facts(claims=(claim("a", None),)), Missing.JUDGE_ERROR),
        (facts(claims=(claim("a", True, ""),)), Missing.NOT_SCORED),
    ],
)
def test_support_from_gold_names_why_it_has_no_value(query: QueryFacts, reason: Missing) -> None:
    assert measure(query).support_from_gold is reason


@pytest.mark.parametrize("score", [None, math.nan, math.inf, 1.2, -0.1])
def test_P24_a_relevance_score_off_the_scale_is_no_score(score: float | None) -> None:
    assert measure(facts(relevance=score)).answer_relevance is Missing.NOT_SCORED


def test_relevance_of_an_abstention_has_no_value_even_when_a_judge_scored_it() -> None:
    assert measure(facts(relevance=0.9, abstained=True)).answer_relevance is Missing.ABSTAINED


@pytest.mark.parametrize("amount", [None, math.nan, -1.0])
def test_latency_and_tokens_come_from_the_file_or_are_missing(amount: float | None) -> None:
    metrics = measure(facts(latency_ms=amount, context_tokens=amount))
    assert metrics.latency_ms is metrics.context_tokens is metrics.tokens_per_chunk is Missing.MISSING


def test_tokens_per_chunk_divides_by_the_slots() -> None:
    assert measure(facts(context="A A B", context_tokens=300)).tokens_per_chunk == 100.0
    assert measure(facts(context="", context_tokens=300)).tokens_per_chunk is Missing.EMPTY_CONTEXT
    assert measure(facts(context=None, context_tokens=300)).tokens_per_chunk is Missing.UNKNOWN_RETRIEVAL


@pytest.mark.parametrize(
    ("correct", "answerable", "abstained", "expected"),
    [
        (None, True, False, None),
        (None, True, True, None),
        (None, False, True, True),
        (None, False, False, False),
        (True, False, False, True),
        (False, False, True, False),
    ],
)
def test_without_a_verdict_an_unanswerable_query_is_right_when_it_abstains(
    correct: bool | None, answerable: bool, abstained: bool, expected: bool | None
) -> None:
    assert correctness(correct, answerable=answerable, abstained=abstained).value is expected


@pytest.mark.parametrize(
    ("answer", "recorded", "by_pattern", "expected"),
    [
        (None, False, False, True),
        ("  \n", None, False, True),
        ("I don't know", False, True, False),
        ("Yes.", True, False, True),
        ("I don't know", None, True, True),
        ("Yes.", None, False, False),
    ],
)
def test_the_file_decides_whether_an_answer_abstains_before_the_patterns_do(
    answer: str | None, recorded: bool | None, by_pattern: bool, expected: bool
) -> None:
    assert effective_abstained(answer, recorded, by_pattern=by_pattern) is expected


@given(slots=SLOTS, gold=GOLD, extra=st.lists(CHUNKS, min_size=1, max_size=8))
def test_adding_candidates_never_lowers_candidate_recall(
    slots: tuple[str, ...], gold: frozenset[str], extra: list[str]
) -> None:
    before = value_of(measure(facts(gold=" ".join(gold), candidates=" ".join(slots))).candidate_recall)
    after = value_of(measure(facts(gold=" ".join(gold), candidates=" ".join((*slots, *extra)))).candidate_recall)
    assert (before is None) == (after is None)
    assert before is None or after is None or after >= before


@given(
    context=st.lists(CHUNKS, min_size=1, max_size=8),
    gold=st.frozensets(CHUNKS, min_size=1, max_size=5),
    supports=st.lists(st.frozensets(CHUNKS, max_size=3), max_size=5),
    distractors=st.integers(min_value=1, max_value=19),
)
def test_distractors_never_change_faithfulness_and_always_lower_a_precision_over_zero(
    context: list[str], gold: frozenset[str], supports: list[frozenset[str]], distractors: int
) -> None:
    stated = tuple(claim(f"c{n}", bool(by), " ".join(by)) for n, by in enumerate(supports))
    few = facts(context=" ".join(context), gold=" ".join(gold), claims=stated)
    many = dataclasses.replace(few, context=(*context, *(f"x{n}" for n in range(distractors))))
    before, after = measure(few), measure(many)
    assert before.faithfulness == after.faithfulness
    low, high = value_of(after.context_precision), value_of(before.context_precision)
    assert low is not None
    assert high is not None
    assert low < high or low == high == 0.0
    assert before.context_recall == after.context_recall


@given(slots=st.lists(CHUNKS, min_size=1, max_size=30), claimed=st.integers(min_value=1, max_value=40))
def test_perfect_is_exactly_one(slots: list[str], claimed: int) -> None:
    stated = tuple(claim(f"c{n}", True, slots[0], (cite(slots[0]),)) for n in range(claimed))
    metrics = measure(facts(context=" ".join(slots), gold=" ".join(set(slots)), claims=stated, relevance=1.0))
    for metric in dataclasses.fields(metrics)[:9]:
        assert getattr(metrics, metric.name) == 1.0, metric.name


@given(
    context=st.none() | SLOTS,
    gold=st.none() | GOLD,
    answerable=st.booleans(),
    words=st.lists(st.sampled_from([True, False, None]), max_size=5),
    relevance=st.none() | st.floats(),
    amount=st.none() | st.floats(),
)
def test_every_metric_is_a_finite_number_or_a_named_reason(
    context: tuple[str, ...] | None,
    gold: frozenset[str] | None,
    answerable: bool,
    words: list[bool | None],
    relevance: float | None,
    amount: float | None,
) -> None:
    query = dataclasses.replace(
        facts(answerable=answerable, relevance=relevance, latency_ms=amount, context_tokens=amount),
        context=context,
        candidates=context,
        gold=gold,
        claims=tuple(claim(f"c{n}", word, "A" if word else "") for n, word in enumerate(words)),
    )
    metrics = measure(query)
    for field in dataclasses.fields(metrics):
        value = getattr(metrics, field.name)
        assert isinstance(value, Missing) or (isinstance(value, float) and math.isfinite(value)), field.name
        assert isinstance(value, Missing) or value >= 0.0
    for name, value in dataclasses.asdict(measure_deciding(query)).items():
        assert value == getattr(metrics, name)
