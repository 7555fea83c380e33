"""The padding test: the same gold with more around it. What does the crowd cost, and can groundedness see it?"""

from __future__ import annotations

from dataclasses import dataclass

from labeling.core.arms import PADDED
from labeling.core.paired import Change, Decision

#: What the test prints, in this order.
SHOWN = ("answer_relevance", "accuracy", "faithfulness", "context_precision")


def padded_arm(before: object, now: object) -> str:
    """Return "now" or "before" for the arm whose `context` is padded; blank where none or both are."""
    if (before == PADDED) == (now == PADDED):
        return ""
    return "now" if now == PADDED else "before"


def reversed_change(change: Change) -> Change:
    """Return the change seen from the other arm."""
    low = None if change.high is None else -change.high
    high = None if change.low is None else -change.low
    return Change(-change.difference, low, high, change.p, change.n)


def refusal(paired: int, other_gold: int, other_evidence: int) -> str:
    """Say why two arms are no padding test; blank = they are one. Counts are of paired queries."""
    if not paired:
        return "No query is paired."
    if other_gold:
        return f"The gold differs in {other_gold:,} of {paired:,} pairs: another gold is another question."
    if other_evidence:
        many = f"{other_evidence:,} of {paired:,} pairs"
        return f"The prompts do not hold the same share of the gold in {many}: more than padding changed."
    return ""


@dataclass(frozen=True, slots=True)
class Padding:
    """The padded arm minus the plain one. `refused` = why it is no test; then there are no changes."""

    padded: str
    plain: str
    refused: str
    changes: tuple[tuple[str, Change], ...] = ()

    def change(self, metric: str) -> Change | None:
        """Return the change of a metric, if both arms have it."""
        return dict(self.changes).get(metric)

    @property
    def groundedness(self) -> str:
        """Say what padding did to groundedness: by definition it cannot fall while the answers stay the same."""
        change = self.change("faithfulness")
        if change is None:
            return "Groundedness has no value in both arms."
        if change.decision() is Decision.WORSE:
            return "Groundedness fell: the padded arm also claims other things."
        if change.decision() is Decision.BETTER:
            return "Groundedness rose: it cannot see the padding, and more text supports more."
        if change.difference == 0:
            return "Groundedness did not move at all: it cannot see the padding."
        return "Groundedness shows no decided change: it cannot see the padding."
