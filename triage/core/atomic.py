"""Atomic claims as a chat model cuts them: each with the exact words of the answer that it was drawn from.

Nothing is repaired: one claim whose words do not stand in the answer spoils the whole cut, and the answer is cut into
sentences instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from triage.core.claims import MAX_CLAIMS

#: Longest claim that is taken: a claim is one statement.
MAX_CLAIM_CHARS = 2_000


class CutError(ValueError):
    """A model's cut cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class AtomicClaim:
    """One claim in the model's words; `answer[start:end]` are the words it was drawn from, in code points."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cut:
    """What became of an answer. Exactly one of `claims` and `fault` is set."""

    #: Name, model, revision and prompt hash of who cut it.
    by: str
    claims: tuple[AtomicClaim, ...] = ()
    fault: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@runtime_checkable
class ClaimCutter(Protocol):
    """Cuts answers into atomic claims. It never raises for what it reads: a fault is a cut that says so."""

    def cut(self, answer: str) -> Cut: ...


def read_cut(body: Mapping[str, Any], answer: str) -> tuple[AtomicClaim, ...]:
    """Return the claims of a model's reply, in its order. Raises CutError for anything but what was asked for."""
    if set(body) != {"claims"} or not isinstance(body["claims"], list):
        raise CutError("the claims cannot be read: wrong keys")
    if not body["claims"]:
        raise CutError("it found no claim")
    if len(body["claims"]) > MAX_CLAIMS:
        raise CutError(f"it made more than {MAX_CLAIMS:,} claims")
    claims: list[AtomicClaim] = []
    for number, told in enumerate(body["claims"], 1):
        claims.append(_claim(number, told, answer, claims[-1].start if claims else 0))
    return tuple(claims)


def _claim(number: int, told: object, answer: str, after: int) -> AtomicClaim:
    """Read one claim. Words that stand several times in the answer are taken where the claim before began, or later."""
    if not isinstance(told, dict) or set(told) != {"claim", "quote"}:
        raise CutError(f"claim {number} cannot be read: wrong keys")
    text, quote = told["claim"], told["quote"]
    if not isinstance(text, str) or not isinstance(quote, str) or not text.strip() or not quote.strip():
        raise CutError(f"claim {number} cannot be read: it has no words")
    if len(text) > MAX_CLAIM_CHARS:
        raise CutError(f"claim {number} is longer than {MAX_CLAIM_CHARS:,} characters")
    start = answer.find(quote, after)
    start = answer.find(quote) if start < 0 else start
    if start < 0:
        raise CutError(f"claim {number} quotes words that do not stand in the answer")
    return AtomicClaim(text.strip().replace("\x00", "\N{REPLACEMENT CHARACTER}"), start, start + len(quote))
