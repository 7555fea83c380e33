"""Verb: the gates of a project on a run, from the run's stored metrics."""

from __future__ import annotations

from labeling.gate.check import EXIT, Gated, as_json, gate, render
from labeling.gate.page import gate_page
from labeling.gate.telling import tell_failed

__all__ = ["EXIT", "Gated", "as_json", "gate", "gate_page", "render", "tell_failed"]
