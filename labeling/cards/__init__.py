"""What the review screen shows of one item. A BlindCard has no place for the machine's word: blindness is a type."""

from __future__ import annotations

from labeling.cards.blind import blind_card
from labeling.cards.desk import Desk, desk_of
from labeling.cards.evidence import beyond
from labeling.cards.known import Known, known_of
from labeling.cards.lines import BlindCard, ChunkLine, ClaimLine
from labeling.cards.machine import revealed_card
from labeling.cards.revealed import MachineWord, RevealedCard
from labeling.cards.side_by_side import SideBySide, side_by_side
from labeling.cards.topbar import TopBar, top_bar

__all__ = [
    "BlindCard",
    "ChunkLine",
    "ClaimLine",
    "Desk",
    "Known",
    "MachineWord",
    "RevealedCard",
    "SideBySide",
    "TopBar",
    "beyond",
    "blind_card",
    "desk_of",
    "known_of",
    "revealed_card",
    "side_by_side",
    "top_bar",
]
