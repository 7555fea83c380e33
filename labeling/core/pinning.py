"""Is an arm production? Its figures beside those that were read off a dashboard. Plain Python.

Only an arm that reproduces production lets the other arms speak about production.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Metrics an arm can be pinned on, with the words they go by; recall is at the arm's own k.
PINNED = {
    "accuracy": "accuracy",
    "context_recall": "recall",
    "context_precision": "precision",
    "faithfulness": "groundedness",
    "answer_relevance": "relevance",
    "context_tokens": "context tokens",
    "latency_p95_ms": "p95 ms",
}
#: A figure without an interval agrees within this share of it.
NEAR = 0.05


@dataclass(frozen=True, slots=True)
class Pin:
    """One production figure beside the arm's; `value` None = the arm has none."""

    metric: str
    production: float
    value: float | None
    low: float | None
    high: float | None

    @property
    def agrees(self) -> bool | None:
        """Say whether production lies in the arm's 95 % interval, or within 5 % of a value without; None = no value."""
        if self.value is None:
            return None
        if self.low is None or self.high is None:
            return abs(self.value - self.production) <= NEAR * abs(self.production)
        return self.low <= self.production <= self.high


def pins(metrics: Mapping[str, Mapping[str, float | None]], production: Mapping[str, float]) -> tuple[Pin, ...]:
    """Return each production figure beside the arm's stored metric. Raises ValueError for an unknown metric."""
    if unknown := sorted(set(production) - set(PINNED)):
        raise ValueError(f"cannot be pinned on {', '.join(unknown)}; choose from {', '.join(PINNED)}")
    told = ((key, production[key], metrics.get(key, {})) for key in PINNED if key in production)
    return tuple(Pin(key, figure, one.get("value"), one.get("low"), one.get("high")) for key, figure, one in told)


def pinning_words(found: tuple[Pin, ...], name: str) -> str:
    """Say how far the arm is pinned; blank without figures."""
    if not found:
        return ""
    agreeing = sum(pin.agrees is True for pin in found)
    words = f"{name} reproduces {agreeing} of {len(found)} production figures"
    if agreeing == len(found):
        return f"{words}: what differs from it is the setting that changed, not another system."
    return f"{words}: it is not production, and what the arms say holds for the set alone."
