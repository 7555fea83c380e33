"""The final verdict and the first blind one (calibration.md section 1)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from labeling.core.consensus import GivenVerdict, Standing, is_supported, settle


def given_by(reviewer: str, label: str, **more: object) -> GivenVerdict:
    return GivenVerdict(reviewer=reviewer, label=label, first=str(more.pop("first", label)), **more)  # type: ignore[arg-type]


def test_one_verdict_is_final_where_one_is_wanted_and_incomplete_where_two_are() -> None:
    alone = [given_by("ann", "still_wrong", sub_cause="wrong_gold")]
    assert settle(alone).standing is Standing.UNANIMOUS
    assert (settle(alone).label, settle(alone).sub_cause) == ("still_wrong", "wrong_gold")
    assert settle(alone, overlap=2).standing is Standing.INCOMPLETE
    assert settle(alone, overlap=2).label == ""
    assert settle([], overlap=0).standing is Standing.INCOMPLETE


def test_two_who_differ_need_adjudication_and_two_of_three_are_a_majority() -> None:
    two = [given_by("ann", "still_wrong"), given_by("bob", "retrieval_miss")]
    assert settle(two, overlap=2).standing is Standing.NEEDS_ADJUDICATION
    three = settle([*two, given_by("cem", "retrieval_miss")], overlap=3)
    assert (three.standing, three.label) == (Standing.MAJORITY, "retrieval_miss")


def test_half_of_four_is_no_strict_majority() -> None:
    four = [given_by(name, label) for name, label in zip("abcd", ["x", "x", "y", "z"], strict=True)]
    assert settle(four, overlap=4).standing is Standing.NEEDS_ADJUDICATION


def test_the_newest_adjudication_wins_over_any_majority() -> None:
    verdicts = [
        given_by("ann", "x"),
        given_by("bob", "x"),
        given_by("lead", "y", adjudicated=True),
        given_by("lead2", "z", adjudicated=True),
    ]
    found = settle(verdicts, overlap=5)
    assert (found.standing, found.label, found.n) == (Standing.ADJUDICATED, "z", 4)
    assert found.standing.is_final
    assert not Standing.INCOMPLETE.is_final


def test_a_change_after_the_reveal_moves_the_final() -> None:
    changed = [given_by("ann", "still_wrong", first="retrieval_miss")]
    assert settle(changed).label == "still_wrong"


def test_a_sub_cause_needs_more_than_half_of_those_who_chose_the_label() -> None:
    verdicts = [
        given_by("ann", "x", sub_cause="a"),
        given_by("bob", "x", sub_cause="b"),
        given_by("cem", "x", sub_cause="a"),
        given_by("dan", "y", sub_cause="b"),
    ]
    assert settle(verdicts, overlap=4).sub_cause == "a"
    assert settle(verdicts[:2], overlap=2).sub_cause == ""


def test_the_binary_view_of_a_claim_is_supported_against_the_rest() -> None:
    assert [is_supported(word) for word in ("supported", "unsupported", "contradicted", "unsure")] == [
        True,
        False,
        False,
        False,
    ]


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=6), st.integers(1, 6))
def test_without_adjudication_the_order_of_verdicts_never_matters(labels: list[str], overlap: int) -> None:
    verdicts = [given_by(str(number), label) for number, label in enumerate(labels)]
    assert settle(verdicts, overlap) == settle(verdicts[::-1], overlap)
