"""Somebody says that the gold is wrong; a second person decides; acceptance makes a new gold version."""

from __future__ import annotations

from labeling.challenge.deciding import Decided, DecidedError, SamePersonError, decide
from labeling.challenge.effects import Effect, effects
from labeling.challenge.raising import UnknownChunkError, raise_challenge
from labeling.challenge.receiving import receive_challenges

__all__ = [
    "Decided",
    "DecidedError",
    "Effect",
    "SamePersonError",
    "UnknownChunkError",
    "decide",
    "effects",
    "raise_challenge",
    "receive_challenges",
]
