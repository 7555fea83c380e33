"""Verb: measure every query of a run, file the failing ones under a class, sum the run up."""

from __future__ import annotations

from triage.classify.run import adopt, classify
from triage.classify.what_if import WouldBe, what_if

__all__ = ["WouldBe", "adopt", "classify", "what_if"]
