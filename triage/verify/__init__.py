"""Verb: check that the rows keep what the product promises; each check says how many rows it looked at."""

from __future__ import annotations

from triage.verify.check import Finding, Invariant, check, uploads_have_files
from triage.verify.invariants import INVARIANTS

__all__ = ["INVARIANTS", "Finding", "Invariant", "check", "uploads_have_files"]
