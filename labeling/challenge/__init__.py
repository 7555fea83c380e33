"""Somebody says that the gold is wrong; a second person decides; acceptance makes a new gold version."""

from __future__ import annotations

from labeling.challenge.raising import UnknownChunkError, raise_challenge

__all__ = ["UnknownChunkError", "raise_challenge"]
