"""Verb: check answers against their passages, in the caller's process or for somebody who waits at the desk."""

from __future__ import annotations

from triage.ground.checker import Checker
from triage.ground.desk import NobodyError, ask, serve

__all__ = ["Checker", "NobodyError", "ask", "serve"]
