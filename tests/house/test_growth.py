"""The page about growth: how a figure is carried on, and a picture that any browser and any ground can show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.growth import Measured, exponent, page, reckoned, spelled
from benchmarks.growth_picture import picture

LINEAR, CONSTANT = {1_000: 50.0, 10_000: 500.0, 100_000: 5_000.0}, {1_000: 40.0, 10_000: 41.0, 100_000: 41.0}


def test_a_figure_is_carried_on_by_its_growth_between_the_two_largest_sizes() -> None:
    assert exponent(LINEAR) == pytest.approx(1)
    assert reckoned(LINEAR, 10_000_000) == pytest.approx(500_000)
    assert reckoned(CONSTANT, 10_000_000) == pytest.approx(41)
    assert exponent({10_000: 50.0, 100_000: 40.0}) == 0, "noise is no shrinking"


def test_a_time_is_said_in_the_unit_a_person_would_say_it_in() -> None:
    assert [spelled(ms) for ms in (41, 36_000, 1_200_000, 9_000_000)] == [
        "41 ms",
        "36.0 s",
        "20.0 minutes",
        "2.5 hours",
    ]


def test_the_page_has_every_figure_the_picture_shows() -> None:
    text = page(Measured({"import": LINEAR, "list": CONSTANT}, {"query": (1_500.0, 500.0)}))
    assert "| import | 50 | 500 | 5,000 | 1.00 |" in text
    assert "| query | 1,500 | 500 | 20.0 |" in text
    assert "| list | 41 ms |" in text


def test_the_picture_is_well_formed_dark_and_light_and_names_lie_apart() -> None:
    drawn = picture({"a < b": sorted(LINEAR.items()), "near": sorted(LINEAR.items()), "zero": [(1_000, 0.0)]})
    tree = ElementTree.fromstring(drawn)
    names = [float(each.get("y", 0)) for each in tree.iter() if each.text in {"a < b", "near"}]
    assert abs(names[0] - names[1]) >= 15
    assert "prefers-color-scheme: dark" in drawn
    assert "script" not in drawn
