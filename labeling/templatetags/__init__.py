"""Words of the review screen's templates."""

from __future__ import annotations
