"""Verb: compare a judge with people. What comes out is kept as rows; pages only read them."""

from __future__ import annotations

from labeling.calibrate.run import calibrate, items_of, judges_in
from labeling.calibrate.telling import identity, told

__all__ = ["calibrate", "identity", "items_of", "judges_in", "told"]
