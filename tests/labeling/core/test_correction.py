"""Corrected class counts: closure, take-all, small strata, pending items, choice of draw, and coverage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from labeling.core.correction import Correction, Draw, Stratum, closes, correct, newest_usable
from tests.labeling.core.coverage import simulate

CLASSES = ("retrieval_miss", "unsupported_claims", "grounded_wrong_question", "still_wrong", "not_a_failure")
SUB = ("still_wrong/superseded_document", "still_wrong/contradicting_documents", "still_wrong/wrong_gold")


def of(*strata: Stratum, take_all: dict[str, int] | None = None, chosen: dict[str, int] | None = None) -> Correction:
    draw = Draw("d", strata, take_all or {})
    confirmed: dict[str, int] = {}
    for part in (*[stratum.seen for stratum in strata], take_all or {}, chosen or {}):
        for label, count in part.items():
            confirmed[label] = confirmed.get(label, 0) + count
    return correct(draw, confirmed, CLASSES)


def test_C1_sub_causes_of_twenty_read_of_thirty_one() -> None:
    seen = dict(zip(SUB, (11, 6, 3), strict=True))
    found = correct(Draw("d", (Stratum("still_wrong", 31, seen),), {}), seen, SUB)
    values = [found.estimates[sub] for sub in SUB]
    assert [estimate.confirmed for estimate in values] == [11, 6, 3]
    assert [(estimate.low, estimate.high) for estimate in values] == [(13, 21), (6, 14), (3, 9)]
    assert [estimate.value for estimate in values] == pytest.approx([17.05, 9.3, 4.65])
    assert found.read == 20
    assert closes(found)


def test_a_stratum_read_whole_adds_no_width() -> None:
    found = of(Stratum("still_wrong", 12, {"still_wrong": 9, "retrieval_miss": 3}))
    assert found.estimates["still_wrong"].low == found.estimates["still_wrong"].high == 9
    assert found.estimates["not_a_failure"].high == 0


def test_verdicts_before_the_draw_count_as_themselves() -> None:
    found = of(Stratum("still_wrong", 10, {"still_wrong": 5}), take_all={"retrieval_miss": 4})
    assert found.population == 14
    assert found.estimates["retrieval_miss"].value == 4
    assert found.estimates["still_wrong"].value == 10
    assert (found.take_all, found.read, found.chosen) == (4, 5, 0)


def test_fewer_than_five_read_are_not_extrapolated_but_named() -> None:
    found = of(Stratum("still_wrong", 40, {"still_wrong": 4}), Stratum("retrieval_miss", 10, {"retrieval_miss": 5}))
    assert found.not_estimated == 36
    assert found.estimates["still_wrong"].value == 4
    assert found.estimates["still_wrong"].high >= 39
    assert closes(found)


def test_three_items_read_whole_are_estimated() -> None:
    assert of(Stratum("still_wrong", 3, {"still_wrong": 3})).not_estimated == 0


def test_a_stratum_nobody_opened_is_not_estimated() -> None:
    found = of(Stratum("still_wrong", 8, {}))
    assert found.not_estimated == 8
    assert (found.estimates["still_wrong"].low, found.estimates["still_wrong"].high) == (0, 8)


def test_pending_items_widen_the_limits_and_do_not_move_the_point() -> None:
    settled = of(Stratum("still_wrong", 40, {"still_wrong": 6, "retrieval_miss": 6}))
    pending = of(Stratum("still_wrong", 40, {"still_wrong": 6, "retrieval_miss": 6}, pending=4))
    before, after = settled.estimates["still_wrong"], pending.estimates["still_wrong"]
    assert after.value == before.value
    assert after.low <= before.low
    assert after.high >= before.high
    assert pending.pending == 4


def test_chosen_verdicts_never_move_the_point_but_bound_what_is_certain() -> None:
    strata = Stratum("still_wrong", 40, {"still_wrong": 10, "retrieval_miss": 1})
    plain, chosen = of(strata), of(strata, chosen={"retrieval_miss": 6})
    assert chosen.chosen == 6
    assert chosen.estimates["retrieval_miss"].value == plain.estimates["retrieval_miss"].value
    assert chosen.estimates["retrieval_miss"].confirmed == 7
    assert chosen.estimates["retrieval_miss"].low == 7
    assert closes(chosen)


def test_impossible_or_unknown_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="of 3"):
        Stratum("x", 3, {"still_wrong": 4})
    with pytest.raises(ValueError, match="no estimate asks for"):
        of(Stratum("x", 3, {"surprise": 1}))


def test_the_newest_draw_takes_over_only_once_read_far_enough() -> None:
    first = Draw("first", (Stratum("a", 50, {"still_wrong": 20}),), {})
    begun = Draw("second", (Stratum("a", 30, {"still_wrong": 2}),), {"still_wrong": 20})
    done = Draw("second", (Stratum("a", 30, {"still_wrong": 5}),), {"still_wrong": 20})
    untouched = Draw("third", (Stratum("a", 30, {}),), {})
    whole = Draw("all known", (), {"still_wrong": 50})
    assert newest_usable([first, begun]) is first
    assert newest_usable([first, done, untouched]) is done
    assert newest_usable([begun]) is begun
    assert newest_usable([untouched]) is None
    assert newest_usable([]) is None
    assert newest_usable([first, whole]) is whole


@st.composite
def strata(draw: st.DrawFn) -> Stratum:
    seen = {label: draw(st.integers(0, 8)) for label in CLASSES}
    pending = draw(st.integers(0, 3))
    return Stratum(
        draw(st.sampled_from("abcd")), sum(seen.values()) + pending + draw(st.integers(0, 60)), seen, pending
    )


@given(st.lists(strata(), max_size=5), st.dictionaries(st.sampled_from(CLASSES), st.integers(0, 9)))
def test_the_table_closes_and_intervals_hold_their_point(parts: list[Stratum], taken: dict[str, int]) -> None:
    found = of(*parts, take_all=taken)
    assert closes(found)
    assert of(*parts[::-1], take_all=taken).estimates.keys() == found.estimates.keys()
    for label, estimate in found.estimates.items():
        assert estimate.confirmed <= estimate.low <= estimate.value + 1e-9
        assert estimate.value - 1e-9 <= estimate.high <= found.population
        assert of(*parts[::-1], take_all=taken).estimates[label].value == pytest.approx(estimate.value)


def test_more_reading_narrows_the_interval() -> None:
    def width(times: int) -> float:
        estimate = of(
            Stratum("a", 400, {"still_wrong": 5 * times, "retrieval_miss": 15 * times}),
            Stratum("b", 400, {"still_wrong": 10 * times, "not_a_failure": 10 * times}),
        ).estimates["still_wrong"]
        return estimate.high - estimate.low

    assert width(1) > width(3) > width(9)


def test_simulated_draws_hold_the_truth_often_enough() -> None:
    tally = simulate(populations=12_000, seed=4)
    assert tally.coverage("all") >= 0.93
    assert tally.trials["share under 2 %"] > 5_000
    assert tally.coverage("share under 2 %") >= 0.90
    assert tally.trials["read 5-20 a stratum"] > 5_000
    assert tally.coverage("read 5-20 a stratum") >= 0.90
    assert min(tally.coverage(f"strata {count}") for count in range(1, 6)) >= 0.93
    assert tally.outside == 0


def test_one_stratum_is_as_narrow_as_the_exact_interval() -> None:
    size, read = 60, 15
    for seen in range(read + 1):
        found = of(Stratum("a", size, {"still_wrong": seen, "retrieval_miss": read - seen}))
        exact = [
            count
            for count in range(seen, size - read + seen + 1)
            if min(hypergeom.sf(seen - 1, size, count, read), hypergeom.cdf(seen, size, count, read)) > 0.025
        ]
        estimate = found.estimates["still_wrong"]
        assert (estimate.low, estimate.high) == (exact[0], exact[-1])
