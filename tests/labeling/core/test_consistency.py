"""Label against own claim marks: calibration.md section 5."""

from __future__ import annotations

import pytest

from labeling.core.consistency import Conflict, conflict
from triage.core.labels import VERDICT_LABELS
from triage.core.policy import DEFAULT_POLICY

S, U = "supported", "unsupported"


def test_unsupported_claims_with_every_claim_supported_is_a_conflict() -> None:
    found = conflict("unsupported_claims", {1: S, 2: S}, 2, DEFAULT_POLICY)
    assert found == Conflict("unsupported_claims", (1, 2))
    assert found.all_supported


def test_unsupported_claims_with_an_unmarked_claim_may_still_be_right() -> None:
    assert conflict("unsupported_claims", {1: S, 2: S}, 3, DEFAULT_POLICY) is None


@pytest.mark.parametrize("label", [label for label in VERDICT_LABELS if label != "unsupported_claims"])
def test_any_other_label_with_faithfulness_below_the_policy_is_a_conflict(label: str) -> None:
    assert conflict(label, {1: S, 2: S, 4: U}, 4, DEFAULT_POLICY) == Conflict(str(label), (4,))


@pytest.mark.parametrize("support", ["unsupported", "contradicted", "unsure"])
def test_everything_but_supported_speaks_against_support(support: str) -> None:
    assert conflict("still_wrong", {1: support}, 1, DEFAULT_POLICY) == Conflict("still_wrong", (1,))


def test_one_unsupported_claim_of_seven_passes_the_policy_and_is_no_conflict() -> None:
    marks = dict.fromkeys(range(1, 7), S)
    assert conflict("still_wrong", {**marks, 7: U}, 7, DEFAULT_POLICY) is None
    assert conflict("still_wrong", {**dict.fromkeys(range(1, 6), S), 6: U}, 6, DEFAULT_POLICY) is not None


def test_no_marks_and_no_label_clash_with_nothing() -> None:
    assert conflict("still_wrong", {}, 3, DEFAULT_POLICY) is None
    assert conflict("", {1: U}, 1, DEFAULT_POLICY) is None
