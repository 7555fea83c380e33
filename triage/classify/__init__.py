"""Verb: measure every query of a run, file the failing ones under a class, sum the run up."""

from __future__ import annotations

from triage.classify.run import adopt, classify

__all__ = ["adopt", "classify"]
