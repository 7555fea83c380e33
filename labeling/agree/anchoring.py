"""How much seeing the machine's word first moves people towards it."""

from __future__ import annotations

import math

from labeling.core.figures import Figure, Undefined
from triage.core.intervals import wilson


def anchoring(seen: tuple[int, int], blind: tuple[int, int]) -> Figure:
    """Return the difference of two shares (agreeing, all): machine seen first minus blind, in -1 to 1.

    The interval is Newcombe's (1998, method 10): from the Wilson limits of each share. No value without both.
    """
    if not seen[1] or not blind[1]:
        return Figure.none(Undefined.NO_ITEMS, seen[1] + blind[1])
    one, other = seen[0] / seen[1], blind[0] / blind[1]
    (one_low, one_high), (other_low, other_high) = wilson(*seen), wilson(*blind)
    low = one - other - math.hypot(one - one_low, other_high - other)
    high = one - other + math.hypot(one_high - one, other - other_low)
    return Figure(one - other, max(-1.0, low), min(1.0, high), seen[1] + blind[1])
