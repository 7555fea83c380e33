"""Failure rate by the slot of the first gold chunk: does evidence further down the prompt get used less?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from triage.core.intervals import wilson
from triage.core.metrics import QueryFacts

#: Slots from here on share their rows, so that a context of 1,000 chunks does not make 1,000 rows.
SINGLE_SLOTS = 10


@dataclass(frozen=True, slots=True)
class SlotRow:
    """Decided queries whose first gold chunk stands in these slots (1-based, inclusive); 0, 0 = in none."""

    first: int
    last: int
    n: int
    failing: int
    rate: float
    low: float
    high: float


class Positions:
    """Counts the decided, answerable queries with gold and a known context, by the slot of their first gold chunk."""

    def __init__(self) -> None:
        self._n: Counter[tuple[int, int]] = Counter()
        self._failing: Counter[tuple[int, int]] = Counter()

    def add(self, facts: QueryFacts) -> None:
        """Count one query in; one without gold, context or verdict is not about position."""
        if facts.correct is None or not facts.answerable or not facts.gold or facts.context is None:
            return
        slots = slots_of(first_gold_slot(facts.context, facts.gold))
        self._n[slots] += 1
        self._failing[slots] += not facts.correct

    def rows(self) -> list[SlotRow]:
        """Return the rows in slot order, the queries without gold in the context last."""
        order = sorted(self._n, key=lambda slots: (slots[0] == 0, slots))
        return [self._row(slots) for slots in order]

    def _row(self, slots: tuple[int, int]) -> SlotRow:
        n, failing = self._n[slots], self._failing[slots]
        return SlotRow(*slots, n, failing, failing / n, *wilson(failing, n))


def first_gold_slot(context: tuple[str, ...], gold: frozenset[str]) -> int:
    """Return the 1-based slot of the first gold chunk, 0 when there is none."""
    return next((slot for slot, key in enumerate(context, start=1) if key in gold), 0)


def slots_of(slot: int) -> tuple[int, int]:
    """Return the row a slot is counted in: itself up to 10, then 11-20, 21-30 and so on."""
    if slot <= SINGLE_SLOTS:
        return slot, slot
    last = -(-slot // 10) * 10
    return last - 9, last
