"""What several people's verdicts on one item amount to (calibration.md section 1).

Two readings of the same verdicts are kept apart: the *first blind* one of each reviewer feeds agreement and
calibration, the *final* one feeds counts. A change after the reveal moves the final, never the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from triage.core.labels import Support


class Standing(StrEnum):
    """Where an item stands between its first verdict and a final one."""

    INCOMPLETE = "incomplete"
    ADJUDICATED = "adjudicated"
    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    NEEDS_ADJUDICATION = "needs adjudication"

    @property
    def is_final(self) -> bool:
        """Say whether an item in this state has a final verdict."""
        return self in (Standing.ADJUDICATED, Standing.UNANIMOUS, Standing.MAJORITY)


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """One reviewer's verdict on one item.

    `label` is what stands now (after a keep or change), `first` what was said before any reveal.
    `blind` is False when the machine's word was on the page from the start.
    """

    reviewer: str
    label: str
    first: str
    sub_cause: str = ""
    blind: bool = True
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class Consensus:
    """The item's state, and its final label and sub-cause where it has one (else empty)."""

    standing: Standing
    label: str
    sub_cause: str
    n: int


def settle(verdicts: Sequence[GivenVerdict], overlap: int = 1) -> Consensus:
    """Return the consensus of `verdicts` (oldest first) on an item that wants `overlap` reviewers.

    An adjudicated verdict (the newest one) is final at once. Otherwise the item is incomplete until `overlap`
    verdicts are in; then unanimous, else a strict majority of at least 2, else it needs adjudication.
    """
    n = len(verdicts)
    decided = [verdict for verdict in verdicts if verdict.adjudicated]
    if decided:
        return Consensus(Standing.ADJUDICATED, decided[-1].label, decided[-1].sub_cause, n)
    if n < max(overlap, 1):
        return Consensus(Standing.INCOMPLETE, "", "", n)
    label, votes = _winner(verdict.label for verdict in verdicts)
    if votes == n:
        standing = Standing.UNANIMOUS
    elif votes >= 2 and 2 * votes > n:
        standing = Standing.MAJORITY
    else:
        return Consensus(Standing.NEEDS_ADJUDICATION, "", "", n)
    return Consensus(standing, label, _sub_cause(verdicts, label), n)


def _winner(words: Iterable[str]) -> tuple[str, int]:
    """Return the commonest word and its votes; the alphabet breaks ties, so order never matters."""
    counts = Counter(words)
    return min(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _sub_cause(verdicts: Sequence[GivenVerdict], label: str) -> str:
    """Return the sub-cause that more than half of those who chose `label` gave, or none."""
    voices = [verdict.sub_cause for verdict in verdicts if verdict.label == label]
    sub_cause, votes = _winner(voices)
    return sub_cause if 2 * votes > len(voices) else ""


def is_supported(label: str) -> bool:
    """Return the binary view of a claim verdict: supported against everything else, unsure included."""
    return label == Support.SUPPORTED
