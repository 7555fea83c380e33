"""Gates: pass, fail and not decided from the interval, and the formats CI reads."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.core.gates import Gate, GateResult, false_alarm, gate_of, overall, sentence, to_junit, to_markdown
from labeling.core.tables import Text
from triage.core.intervals import wilson

PASS, FAIL, OPEN = GateResult.PASS, GateResult.FAIL, GateResult.NOT_DECIDED


def told(value: float | None, low: float | None, high: float | None, n: int = 100) -> dict[str, object]:
    return {"value": value, "low": low, "high": high, "n": n, "left_out": {"no_claims": 3}}


@pytest.mark.parametrize(
    ("metric", "result", "strict"),
    [
        (told(0.9, 0.86, 0.94), PASS, PASS),
        (told(0.85, 0.85, 0.85), PASS, PASS),
        (told(0.86, 0.82, 0.90), OPEN, PASS),
        (told(0.84, 0.80, 0.88), OPEN, FAIL),
        (told(0.7, 0.6, 0.8), FAIL, FAIL),
        (told(0.9, None, None, 1), OPEN, PASS),
        (told(None, None, None, 0), OPEN, FAIL),
        (None, OPEN, FAIL),
    ],
)
def test_a_gate_decides_by_its_interval_or_strictly_by_its_value(
    metric: dict[str, object] | None, result: GateResult, strict: GateResult
) -> None:
    assert gate_of("faithfulness", 0.85, metric, strict=False).result is result
    assert gate_of("faithfulness", 0.85, metric, strict=True).result is strict


def test_W3_170_of_200_does_not_decide_a_gate_of_85_per_cent() -> None:
    low, high = wilson(170, 200)
    assert (low, high) == pytest.approx((0.794, 0.893), abs=6e-4)
    assert gate_of("faithfulness", 0.85, told(0.85, low, high, 200), strict=False).result is OPEN


def test_W4_four_gates_at_five_per_cent_fail_by_chance_one_build_in_five() -> None:
    assert false_alarm(4) == pytest.approx(0.1855, abs=1e-4)


def test_the_worst_gate_is_the_runs() -> None:
    good, bad, open_ = (gate_of("m", 0.5, told(v, v, v), strict=False) for v in (0.6, 0.4, None))
    assert overall([good]) is PASS
    assert overall([good, open_]) is OPEN
    assert overall([good, open_, bad]) is FAIL
    assert overall([]) is OPEN


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_raising_a_threshold_never_helps(low: float, value: float, high: float, step: float) -> None:
    low, value, high = sorted((low, value, high))
    order = [FAIL, OPEN, PASS]
    results = [gate_of("m", least, told(value, low, high), strict=False).result for least in (step / 2, step)]
    assert order.index(results[1]) <= order.index(results[0])


def gates() -> list[Gate]:
    return [
        gate_of("faithfulness", 0.85, told(0.9, 0.86, 0.94), strict=False),
        gate_of("answer_relevance", 0.7, told(0.5, 0.4, 0.6), strict=False),
        gate_of("citation_precision", 0.7, told(None, None, None, 0), strict=False),
    ]


def test_junit_counts_failures_and_shows_what_is_not_decided_as_skipped() -> None:
    suite = ElementTree.fromstring(to_junit('a "name" <b>\x00&', gates()))
    assert suite.attrib | {} == {
        "name": "rag-triage gates",
        "tests": "3",
        "failures": "1",
        "skipped": "1",
        "errors": "0",
    }
    cases = suite.findall("testcase")
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["skipped"]]
    assert cases[0].attrib["classname"] == 'gate.a "name" <b>&'
    failure = cases[1].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "answer_relevance: 0.500 (0.400 to 0.600), n 100, at least 0.700"


def test_markdown_summary_is_the_golden_text() -> None:
    assert to_markdown(Text("run | one"), gates()) == (
        "Gates of run \\| one: **fail**\n\n"
        "| Metric | Threshold | Value | 95 % interval | n | Result |\n"
        "| --- | ---: | ---: | ---: | ---: | --- |\n"
        "| `faithfulness` | 0.850 | **0.900** | 0.860–0.940 | 100 | pass |\n"
        "| `answer_relevance` | 0.700 | **0.500** | 0.400–0.600 | 100 | fail |\n"
        "| `citation_precision` | 0.700 | 3 no claims | none | 0 | not decided |\n"
    )


def test_a_metric_without_a_value_says_why() -> None:
    assert sentence(gates()[2]) == "citation_precision: no value (3 no claims), at least 0.700 is asked"
    assert "not measured" in sentence(gate_of("m", 0.5, None, strict=False))
