"""The gold audit: what makes a recall number trustworthy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from triage.core.audit import Finding, GoldFacts, audit
from triage.core.closure import Outcomes
from triage.core.readings import State
from triage.core.summary import Summary

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def found(check: str, **changes: Any) -> Finding:
    """Return one finding of a healthy run with these changes."""
    healthy: dict[str, Any] = {
        "gold_ids": 100,
        "outside_candidates": 13,
        "absent": [],
        "questions_from": "logs",
        "k": 8,
        "serving_k": 8,
        "answerable": Outcomes(failing=116, correct=236, undecided=0),
        "unanswerable": Outcomes(failing=11, correct=37, undecided=0),
        "false_answers": Summary(11 / 48, 48, {}),
        "built_at": NOW - timedelta(days=61),
        "calibrated_at": {"recorded": NOW - timedelta(days=12)},
    }
    return next(finding for finding in audit(GoldFacts(**{**healthy, **changes}), NOW) if finding.check == check)


CHECKS = ("outside_candidates", "questions_from", "serving_k", "unanswerable", "absent_gold", "age")


@pytest.mark.parametrize("check", CHECKS)
def test_a_healthy_set_passes_every_check(check: str) -> None:
    assert found(check).state is State.OK


@pytest.mark.parametrize(
    ("check", "changes", "words"),
    [
        ("outside_candidates", {"outside_candidates": 0}, "harvested from this retriever"),
        ("outside_candidates", {"outside_candidates": 9}, "9 of 100 gold ids (9.0%)"),
        ("outside_candidates", {"outside_candidates": 21}, "21 of 100"),
        ("questions_from", {"questions_from": "generated_from_chunks"}, "generated_from_chunks"),
        ("serving_k", {"serving_k": 5}, "evaluated at 8, served at 5"),
        ("unanswerable", {"unanswerable": Outcomes(0, 0, 0)}, "0 of 352 queries (0.0%)"),
        ("absent_gold", {"absent": ["b", "a"]}, "2 gold ids name no chunk: a, b"),
        ("age", {"built_at": NOW - timedelta(days=93)}, "evaluation set 93 days old"),
        ("age", {"calibrated_at": {"j": NOW - timedelta(days=97)}}, "j 97 days old"),
    ],
)
def test_what_is_not_healthy_is_named(check: str, changes: dict[str, Any], words: str) -> None:
    finding = found(check, **changes)
    assert finding.state is State.WARN
    assert words in finding.found


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("outside_candidates", {"gold_ids": 0, "outside_candidates": 0}),
        ("questions_from", {"questions_from": ""}),
        ("serving_k", {"k": None}),
        ("unanswerable", {"answerable": Outcomes(0, 0, 0), "unanswerable": Outcomes(0, 0, 0)}),
        ("age", {"built_at": None}),
        ("age", {"calibrated_at": {"j": None}}),
    ],
)
def test_what_the_file_does_not_say_stays_open(check: str, changes: dict[str, Any]) -> None:
    finding = found(check, **changes)
    assert finding.state is State.OPEN
    assert "nan" not in finding.found
    assert "None" not in finding.found


def test_S17_the_drop_that_the_unanswerable_cause_is_stated() -> None:
    answerable, rest = Outcomes(failing=528, correct=8272, undecided=0), Outcomes(failing=272, correct=928, undecided=0)
    words = found("unanswerable", answerable=answerable, unanswerable=rest).found
    assert words.startswith("1200 of 10000 queries (12.0%); accuracy 0.920 with them, 0.940 without; false answers")
