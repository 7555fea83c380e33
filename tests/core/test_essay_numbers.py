"""The essays' numbers that our own functions can recompute. What is only an input there is not tested here."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.core.facts import facts
from triage.core.closure import Outcomes, adds_up, partition, recall_ceiling, tokens_agree
from triage.core.intervals import wilson
from triage.core.metrics import QueryFacts, measure
from triage.core.policy import DEFAULT_TARGETS
from triage.core.readings import Pair, load_bearing, where_the_loss_is
from triage.core.summary import Summary, summarise

CLASSES = {"retrieval_miss": 16, "unsupported_claims": 61, "grounded_wrong_question": 44, "still_wrong": 31}
RUN = Outcomes(failing=152, correct=248, undecided=0)
HALF = Fraction(1, 2)


def context_of(gold: int, slots: int) -> QueryFacts:
    """Return a query with this many gold chunks in a context of that many slots."""
    context = [f"g{n}" for n in range(gold)] + [f"x{n}" for n in range(slots - gold)]
    return facts(context=" ".join(context), gold=" ".join(context[:gold]))


def mean(*queries: QueryFacts, key: str = "context_precision") -> float | None:
    return summarise((query, measure(query)) for query in queries)[key].value


def test_S1_the_four_classes_add_up_to_152_and_61_only_by_subtraction() -> None:
    assert adds_up(CLASSES, RUN, 400).ok
    assert not adds_up({**CLASSES, "unsupported_claims": 60}, RUN, 400).ok


def test_S2_the_shares_of_the_loss_round_to_100() -> None:
    shares = [100 * count / RUN.failing for count in CLASSES.values()]
    assert shares == pytest.approx([10.5, 40.1, 28.9, 20.4], abs=0.05)
    assert sum(map(round, shares)) == 100


def test_S3_152_of_400_failing_is_an_accuracy_of_0_62() -> None:
    queries = [facts(correct=n >= 152) for n in range(400)]
    assert mean(*queries, key="accuracy") == 0.62


def test_S4_the_ceiling_on_misses_is_15_8_or_21_1_or_31_6_per_cent_and_never_a_quarter() -> None:
    at_94 = recall_ceiling({Fraction(1): 376, Fraction(0): 24}, HALF)
    at_92 = recall_ceiling({Fraction(1): 368, Fraction(0): 32}, HALF)
    mixed = recall_ceiling({Fraction(1): 352, HALF: 48}, HALF)
    assert at_94.most / 152 == pytest.approx(0.158, abs=5e-4)
    assert at_92.most / 152 == pytest.approx(0.211, abs=5e-4)
    assert mixed.lost / (1 - HALF) / 152 == pytest.approx(0.316, abs=5e-4)
    assert mixed.most == 47
    assert all(ceiling.most >= 16 for ceiling in (at_94, at_92, mixed))


def test_S5_thirteen_splits_of_400_queries_mix_0_71_and_0_44_to_0_62() -> None:
    splits = []
    for n in range(1, 400):
        for correct in range(n + 1):
            single, multi = Outcomes(n - correct, correct, 0), Outcomes(152 - n + correct, 248 - correct, 0)
            if min(multi.failing, multi.correct) < 0 or not multi.decided:
                continue
            if (round(correct / n, 2), round(multi.correct / multi.decided, 2)) == (0.71, 0.44):
                splits.append(n)
                assert partition("passages", {"single": single, "multi": multi}, RUN).ok
    assert (len(splits), min(splits), max(splits)) == (13, 262, 272)


def test_S6_33_of_44_is_0_75_with_a_wide_interval() -> None:
    assert wilson(33, 44) == pytest.approx((0.606, 0.854), abs=5e-4)


def test_S7_three_of_twenty_is_fifteen_per_cent_and_not_a_fifteenth() -> None:
    parts = {name: Outcomes(n, 0, 0) for name, n in (("superseded", 11), ("contradicting", 6), ("label", 3))}
    assert partition("cause", parts, Outcomes(20, 0, 0)).ok
    assert wilson(3, 20) == pytest.approx((0.052, 0.360), abs=5e-4)


def test_S8b_tokens_per_chunk_are_125_5_and_131() -> None:
    wide = measure(facts(context=" ".join("x" * 20), gold="x", context_tokens=2510)).tokens_per_chunk
    narrow = measure(facts(context=" ".join("x" * 5), gold="x", context_tokens=655)).tokens_per_chunk
    assert (wide, narrow) == (125.5, 131.0)
    assert tokens_agree([("k20", 125.5), ("rerank", 131.0)]).ok


def test_S13_cutting_to_five_slots_keeps_half_of_the_gold_in_a_quarter_of_the_slots() -> None:
    factor = 0.29 / 0.14
    assert factor == pytest.approx(2.07, abs=5e-3)
    assert factor * 5 / 20 == pytest.approx(0.518, abs=5e-4)
    cut = measure(context_of(2, 5)).context_precision
    whole = measure(context_of(4, 20)).context_precision
    assert (cut, whole) == (0.4, 0.2)  # half of the gold in a quarter of the slots: precision doubles


def test_S14_a_precision_four_times_as_high() -> None:
    assert mean(*[context_of(14, 25)] * 4) == pytest.approx(4 * 0.14)


def test_S16_recall_0_55_and_accuracy_0_80_leave_a_quarter_answered_without_evidence() -> None:
    reading = load_bearing(Pair(n=400, complete=220, found=220, correct=320), Summary(0.5, 400, {}))
    assert "at least 0.250" in reading.sentence


def test_S17_0_92_with_12_per_cent_unanswerable_means_0_773_on_them() -> None:
    answerable, rest = Outcomes(528, 8272, 0), Outcomes(272, 928, 0)  # .94 on 88 %, .7733 on 12 %
    whole = Outcomes(800, 9200, 0)
    assert partition("answerable", {"yes": answerable, "no": rest}, whole).ok
    assert rest.correct / rest.decided == pytest.approx(0.773, abs=5e-4)


def test_S19_a_mean_precision_of_0_14_is_112_of_800_slots_and_one_query_of_3_in_20_is_0_15() -> None:
    forty = [context_of(3, 20)] * 32 + [context_of(2, 20)] * 8
    assert mean(*forty) == pytest.approx(112 / 800)
    assert measure(context_of(3, 20)).context_precision == 0.15


def test_S21_of_38_points_6_can_be_missing_evidence_and_32_come_after_retrieval() -> None:
    reading = where_the_loss_is(Pair(n=100, complete=94, found=94, correct=62))
    assert [part.text for part in reading.parts if part.is_number][-2:] == ["6", "32"]


def test_S_dashboard_margins_are_plus_4_plus_6_and_minus_8_hundredths() -> None:
    shown = {"context_recall": 0.94, "faithfulness": 0.91, "answer_relevance": 0.72}
    margins = [round(shown[metric] - target, 2) for metric, target in DEFAULT_TARGETS.items()]
    assert margins == [0.04, 0.06, -0.08]


def test_S_seventeen_of_twenty_and_nineteen_of_twenty_do_not_belong() -> None:
    assert measure(context_of(3, 20)).context_precision == 0.15
    assert measure(context_of(1, 20)).context_precision == 0.05


def test_S_eight_of_eleven_gold_chunks_never_retrieved_is_a_recall_of_3_of_11_at_any_order() -> None:
    gold = " ".join(f"g{n}" for n in range(11))
    for candidates in (20, 50):
        found = measure(facts(context="g0 g1 g2", gold=gold, candidates="g0 g1 g2 " + "x " * candidates))
        assert found.candidate_recall == found.context_recall == 3 / 11


def test_S_one_chunk_right_two_thirds_of_the_time_is_precision_0_67_and_a_third_without_evidence() -> None:
    queries = [facts(context="A", gold="A"), facts(context="A", gold="A"), facts(context="X", gold="A")]
    assert mean(*queries) == pytest.approx(2 / 3)
    assert mean(*queries, key="evidence_found") == pytest.approx(2 / 3)


def test_S_thirteen_per_cent_of_gold_ids_lie_beyond_the_candidates() -> None:
    gold = [f"g{n}" for n in range(100)]
    query = facts(context=" ".join(gold[:87]), gold=" ".join(gold), candidates=" ".join(gold[:87]))
    recall = measure(query).candidate_recall
    assert isinstance(recall, float)
    assert 0.10 <= 1 - recall <= 0.20
