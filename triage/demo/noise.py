"""Chance that is the same on every machine: numbers drawn from a hash of what they are for."""

from __future__ import annotations

import hashlib
from statistics import NormalDist

SEED = "tallyrook"
_NORMAL = NormalDist()


def unit(*of: str) -> float:
    """Return a number in (0, 1) that depends on the seed and on what it is `of`, and on nothing else."""
    digest = hashlib.sha256("\x1f".join((SEED, *of)).encode()).digest()
    return (int.from_bytes(digest[:6]) + 0.5) / 2**48


def normal(*of: str) -> float:
    """Return a standard normal number drawn the same way."""
    return _NORMAL.inv_cdf(unit(*of))


def hexadecimal(digits: int, *of: str) -> str:
    """Return `digits` hex digits drawn the same way."""
    return hashlib.sha256("\x1f".join((SEED, *of)).encode()).hexdigest()[:digits]
