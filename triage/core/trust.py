"""May a judge's word be relied on? The states as they are shown wherever a judge is used; the human's half decides."""

from __future__ import annotations

from enum import StrEnum


class Trust(StrEnum):
    """What the comparison of a judge with people allows."""

    UNCALIBRATED = "uncalibrated"
    TOO_FEW = "too few to rely on"
    CALIBRATED = "calibrated"
    STALE = "stale"
