from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from django.template import Context, Engine
from hypothesis import given
from hypothesis import strategies as st

from triage.templatetags import figures

NBSP = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
FORMATS = [figures.number, figures.count, figures.ratio, figures.percent, figures.signed, figures.pp, figures.duration]


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (figures.ratio(0.62), "0.620"),
        (figures.ratio(1), "1.000"),
        (figures.ratio(-0.0), "0.000"),
        (figures.ratio(-0.0004), "0.000"),
        (figures.ratio(0.62, 2), "0.62"),
        (figures.percent(0.38), f"38.0{NBSP}%"),
        (figures.percent(0.00001), f"0.0{NBSP}%"),
        (figures.pp(-0.041), f"{MINUS}4.1{NBSP}pp"),
        (figures.pp(0.019), f"+1.9{NBSP}pp"),
        (figures.pp(-0.0001), f"0.0{NBSP}pp"),
        (figures.signed(0.21), "+0.21"),
        (figures.signed(-0.1), f"{MINUS}0.10"),
        (figures.signed(0.001), "0.00"),
        (figures.count(22400), "22,400"),
        (figures.count(0), "0"),
        (figures.number(50.12, 1), "50.1"),
        (figures.plural(1, "query,queries"), "1 query"),
        (figures.plural(2400, "query,queries"), "2,400 queries"),
        (figures.plural(0, "query,queries"), "0 queries"),
    ],
)
def test_a_number_has_one_spelling(shown: str, wanted: str) -> None:
    assert shown == wanted


@pytest.mark.parametrize(
    ("milliseconds", "wanted"),
    [
        (840, "840 ms"),
        (1234, "1.2 s"),
        (48_000, "48 s"),
        (180_000, "3 min"),
        (7_500_000, "2 h 5 min"),
        ("missing", "not in the file"),
    ],
)
def test_a_duration_has_the_unit_a_reader_would_choose(milliseconds: object, wanted: str) -> None:
    assert figures.duration(milliseconds).replace(NBSP, " ") == wanted


def test_intervals_read_as_from_to() -> None:
    assert figures.interval(0.572, 0.666) == "0.572–0.666"
    assert figures.interval(-0.05, 0.03, 2) == f"{MINUS}0.05 to 0.03"
    assert figures.count_interval(42.5, 57.6).replace(NBSP, " ") == "42.5 – 57.6"
    assert figures.pp_interval(-0.077, -0.006) == f"{MINUS}7.7 to {MINUS}0.6"


def test_an_interval_with_one_end_says_why_there_is_none() -> None:
    assert figures.interval(None, 0.6) == "no value"
    assert figures.count_interval(1.0, "not_estimated") == "not estimated"
    assert figures.pp_interval(float("nan"), 0.1) == "no value"


@pytest.mark.parametrize("format_", FORMATS)
def test_a_missing_number_is_its_reason_in_words(format_: Callable[[object], str]) -> None:
    assert format_("no_gold") == "no gold"
    assert format_("judge_error") == "judge error"
    assert format_("a_new_reason") == "a new reason"
    for nothing in (None, "", math.nan, math.inf, -math.inf, 10**400):
        assert format_(nothing) == "no value"


def test_a_yes_or_no_is_refused_as_a_number() -> None:
    with pytest.raises(TypeError, match="show it as a word"):
        figures.ratio(True)


@given(st.one_of(st.floats(), st.integers(), st.none(), st.sampled_from(sorted(figures.REASONS))))
def test_nothing_ever_reads_nan_none_inf_or_minus_zero(value: object) -> None:
    for format_ in FORMATS:
        text = format_(value)
        assert text
        assert len(text) < 60
        assert not any(word in text.lower() for word in ("nan", "none", "inf"))
        assert "-" not in text
        assert not (text.startswith(MINUS) and not text.strip(f"{MINUS}0., %psmh{NBSP}in"))


def test_every_reason_of_the_metrics_has_words() -> None:
    metrics = pytest.importorskip("triage.core.metrics")
    assert {str(missing) for missing in metrics.Missing} <= set(figures.REASONS)


def test_templates_use_the_figures_by_name() -> None:
    engine = Engine(libraries={"figures": "triage.templatetags.figures"})
    source = "{% load figures %}{{ a|ratio }} {{ b|ratio }} {% interval a c %} {{ b|has_value }}"
    assert engine.from_string(source).render(Context({"a": 0.5, "b": "no_claims", "c": 0.75})) == (
        "0.500 no claims 0.500–0.750 False"
    )
