"""What people added to a run, as whoever keeps their words tells it. The machine's half knows none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Words = list[dict[str, Any]]


class People(Protocol):
    """Tells what people said, a batch of queries at a time, as objects of the run file."""

    def verdicts(self, query_ids: Sequence[int]) -> dict[int, Words]:
        """Return query id -> objects of `human`, beside those that came with the file."""
        ...

    def marks(self, query_ids: Sequence[int]) -> dict[int, Words]:
        """Return claim id -> objects of `claims[].human`, beside those that came with the file."""
        ...

    def challenges(self, query_ids: Sequence[int]) -> dict[int, Words]:
        """Return query id -> objects of `challenges`, beside those that came with the file."""
        ...


class Nobody:
    """Nobody added anything: the run as it came."""

    def verdicts(self, query_ids: Sequence[int]) -> dict[int, Words]:
        """Return nothing."""
        return {}

    def marks(self, query_ids: Sequence[int]) -> dict[int, Words]:
        """Return nothing."""
        return {}

    def challenges(self, query_ids: Sequence[int]) -> dict[int, Words]:
        """Return nothing."""
        return {}
