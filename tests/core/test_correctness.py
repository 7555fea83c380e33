"""Who says whether an answer is correct: the file, a rule, the machine by match, or nobody."""

from __future__ import annotations

import pytest

from triage.core.correctness import Correctness, SaidBy, correctness, matched
from triage.core.policy import DEFAULT_POLICY, Policy

NOBODY = Correctness(None, SaidBy.NOBODY)


@pytest.mark.parametrize(
    ("in_file", "answerable", "abstained", "told"),
    [
        (True, True, False, Correctness(True, SaidBy.FILE)),
        (False, False, True, Correctness(False, SaidBy.FILE)),
        (None, False, True, Correctness(True, SaidBy.ABSTENTION)),
        (None, False, False, Correctness(False, SaidBy.ABSTENTION)),
        (None, True, True, NOBODY),
        (None, True, False, NOBODY),
    ],
)
def test_the_files_word_then_the_rule_for_what_cannot_be_answered(
    in_file: bool | None, answerable: bool, abstained: bool, told: Correctness
) -> None:
    assert correctness(in_file, answerable=answerable, abstained=abstained) == told


@pytest.mark.parametrize("given", [Correctness(False, SaidBy.FILE), Correctness(False, SaidBy.ABSTENTION)])
def test_a_match_never_touches_what_is_decided(given: Correctness) -> None:
    assert matched(given, "Paris", "Paris", DEFAULT_POLICY) == given


@pytest.mark.parametrize(
    ("answer", "reference", "policy", "told"),
    [
        ("Paris", "Paris", DEFAULT_POLICY, Correctness(True, SaidBy.MATCH)),
        ("Lyon", "Paris", DEFAULT_POLICY, Correctness(False, SaidBy.MATCH)),
        (None, "Paris", DEFAULT_POLICY, Correctness(False, SaidBy.MATCH)),
        ("Paris", None, DEFAULT_POLICY, NOBODY),
        ("Paris", "the", DEFAULT_POLICY, NOBODY),
        ("Paris", "Paris", Policy(match_reference=False), NOBODY),
    ],
)
def test_where_nobody_decided_the_reference_does_and_the_word_is_marked_as_a_match(
    answer: str | None, reference: str | None, policy: Policy, told: Correctness
) -> None:
    assert matched(NOBODY, answer, reference, policy) == told
