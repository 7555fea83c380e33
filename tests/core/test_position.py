"""Failure rate by the slot of the first gold chunk."""

from __future__ import annotations

import pytest

from tests.core.facts import facts
from triage.core.intervals import wilson
from triage.core.metrics import QueryFacts
from triage.core.position import Positions, SlotRow, slots_of


def rows(*queries: QueryFacts) -> list[SlotRow]:
    positions = Positions()
    for query in queries:
        positions.add(query)
    return positions.rows()


def test_queries_are_counted_by_the_first_gold_slot_and_those_without_come_last() -> None:
    found = rows(
        facts(context="X A A"),
        facts(context="X A", correct=True),
        facts(context="X"),
        facts(context="A", correct=True),
    )
    assert [(row.first, row.last, row.n, row.failing, row.rate) for row in found] == [
        (1, 1, 1, 0, 0.0),
        (2, 2, 2, 1, 0.5),
        (0, 0, 1, 1, 1.0),
    ]
    assert (found[1].low, found[1].high) == wilson(1, 2)


def test_queries_without_gold_context_or_verdict_are_not_about_position() -> None:
    assert rows(facts(gold=None), facts(context=None), facts(correct=None), facts(answerable=False)) == []


@pytest.mark.parametrize(("slot", "row"), [(0, (0, 0)), (10, (10, 10)), (11, (11, 20)), (20, (11, 20)), (21, (21, 30))])
def test_slots_beyond_ten_share_rows(slot: int, row: tuple[int, int]) -> None:
    assert slots_of(slot) == row
