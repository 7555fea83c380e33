"""What a judge that is asked by calls has cost: tokens and calls as its endpoint told them, money where prices are."""

from __future__ import annotations

from dataclasses import dataclass

PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Money per million tokens, as the operator set it."""

    per_million_in: float
    per_million_out: float
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Spending:
    """What one judge was asked in one run. Words taken from the cache cost nothing and are not in it."""

    judge: str
    task: str
    #: Claims or answers it gave a word on, readable or not.
    words: int
    #: Replies that came back; calls that got none are not known.
    calls: int
    input_tokens: int
    output_tokens: int
    prices: Prices | None = None

    @property
    def is_reported(self) -> bool:
        """Say whether the endpoint tells tokens at all: a call without one does not exist."""
        return self.input_tokens > 0

    @property
    def money(self) -> float | None:
        """Return the cost in the currency of the prices; None = unknown, without prices or without tokens."""
        if self.prices is None or not self.is_reported:
            return None
        spent = self.input_tokens * self.prices.per_million_in + self.output_tokens * self.prices.per_million_out
        return spent / PER_PRICE

    @property
    def why_unknown(self) -> str:
        """Say why there is no amount of money; blank where there is one."""
        if not self.is_reported:
            return "unknown: the endpoint tells no tokens"
        return "" if self.prices else "unknown: the operator set no prices"
