"""The rows of the release table: shares, previous release, named states, owners, accuracy after review."""

from __future__ import annotations

import pytest

from labeling.core.correction import Draw, Stratum, correct
from labeling.core.note import Population
from labeling.core.release_note import Counts, class_table, largest_class, owner_of
from tests.labeling.note_example import AUTOMATIC, STILL_WRONG, counts, counts_before, metric
from triage.core.labels import NOT_A_FAILURE, NOT_ESTIMATED, UNSCORED, VERDICT_LABELS

BARE = Counts(152, AUTOMATIC, {}, {}, None)


def test_S2_shares_of_the_essay_table_are_11_40_29_20() -> None:
    table = class_table(BARE, None, {})
    assert table.share_of == "automatic"
    shares = [row.share for row in table.rows[:4]]
    assert [round(100 * (share or 0)) for share in shares] == [11, 40, 29, 20]
    assert sum(row.automatic or 0 for row in table.rows) == table.total.automatic == 152


def test_corrected_rows_add_up_to_the_failing_queries() -> None:
    table = class_table(counts(), None, {})
    assert table.share_of == "corrected"
    assert sum(row.corrected or 0 for row in table.rows) == pytest.approx(152)
    assert sum(row.share or 0 for row in table.rows) == pytest.approx(1)
    assert table.outside.is_outside
    assert table.outside.corrected == pytest.approx(6.2)


def test_a_stratum_read_too_little_adds_a_row_not_estimated() -> None:
    seen = {STILL_WRONG: 2}
    correction = correct(Draw("d", (Stratum(STILL_WRONG, 31, seen),), {}), seen, VERDICT_LABELS)
    table = class_table(Counts(31, {STILL_WRONG: 31}, seen, seen, correction), None, {})
    row = table.rows[-1]
    assert (row.label, row.corrected) == (NOT_ESTIMATED, 29)
    assert sum(each.corrected or 0 for each in table.rows) == 31


def test_the_previous_release_is_compared_in_the_same_column() -> None:
    both = class_table(counts(), counts(), {})
    assert both.previous_of == "corrected"
    assert {row.change for row in both.rows if row.change is not None} == {0.0}
    machine = class_table(counts(), counts_before(), {})
    assert machine.previous_of == "automatic"
    assert machine.rows[0].previous == 24
    assert machine.rows[0].change == pytest.approx(16 / 152 - 24 / 158)
    assert machine.rows[5].label == NOT_A_FAILURE
    assert machine.rows[5].previous is None


def test_another_policy_or_other_judges_are_not_comparable() -> None:
    table = class_table(counts(), counts_before(), {}, comparable=False)
    assert table.previous_of == ""
    assert {row.state("previous") for row in table.rows} == {"not comparable"}
    assert table.total.previous == 158


def test_unscored_is_what_the_machine_says_and_nobody_confirms() -> None:
    row = next(row for row in class_table(counts(), None, {}).rows if row.label == UNSCORED)
    assert (row.automatic, row.confirmed, row.corrected) == (0, None, None)
    assert row.state("confirmed") == "n/a"


def test_owners_are_the_projects_then_the_defaults_and_a_sub_cause_may_have_its_own() -> None:
    owners = {STILL_WRONG: "Docs", f"{STILL_WRONG}/over_abstention": "Generation"}
    assert owner_of(STILL_WRONG, {}) == "Content operations"
    assert owner_of(STILL_WRONG, owners) == "Docs"
    assert owner_of(STILL_WRONG, owners, "over_abstention") == "Generation"
    assert owner_of(STILL_WRONG, owners, "wrong_gold") == "Docs"


def test_the_largest_class_goes_by_the_share_shown() -> None:
    found = largest_class(class_table(counts(), None, {}))
    assert found is not None
    assert found.label == "unsupported_claims"
    assert largest_class(class_table(Counts(0, {}, {}, {}, None), None, {})) is None


def test_accuracy_after_review_counts_not_a_failure_right_and_missed_failures_wrong() -> None:
    people = Population(failing=152, correct=248, undecided=0)
    after = people.accuracy_after_review(counts())
    assert after is not None
    assert after.value == pytest.approx((248 + 9.45 - 6.2) / 400)
    assert after.low is not None
    assert after.high is not None
    assert after.low < 0.62 < after.high
    confirmed = people.accuracy_after_review(Counts(152, AUTOMATIC, {}, {NOT_A_FAILURE: 4}, None))
    assert confirmed is not None
    assert (confirmed.value, confirmed.low) == (0.63, None)
    assert Population(0, 0, 5).accuracy() is None
    assert Population(0, 0, 5).accuracy_after_review(BARE) is None


def test_a_target_is_met_missed_or_not_decided_by_the_interval() -> None:
    assert [metric("m", "M", 0.94, 400, target).against_target for target in (0.9, 0.97, 0.95)] == [
        "met",
        "missed",
        "not decided",
    ]
    assert metric("m", "M", 0.94, 400).against_target == ""
