"""Verb: take in what people said elsewhere. Verdicts that came with a file become rows like any others."""

from __future__ import annotations

from labeling.receive.draws import receive_draws
from labeling.receive.labels import LabelsReceived, receive_labels
from labeling.receive.words import receive

__all__ = ["LabelsReceived", "receive", "receive_draws", "receive_labels"]
