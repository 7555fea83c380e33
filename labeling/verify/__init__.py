"""Verb: check that people's rows keep what the product promises."""

from __future__ import annotations

from labeling.verify.check import findings
from labeling.verify.invariants import INVARIANTS

__all__ = ["INVARIANTS", "findings"]
