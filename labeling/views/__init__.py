"""Pages of the human's half."""

from __future__ import annotations
