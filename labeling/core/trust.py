"""May a judge's word be relied on? States shown wherever a judge is used. Plain Python; no clock: days are told."""

from __future__ import annotations

from enum import StrEnum

#: Under these, figures are shown and marked.
LEAST_LABELS = 30
LEAST_OF_EITHER_CLASS = 10
#: A comparison older than this many days no longer counts as fresh.
FRESH_DAYS = 90


class Trust(StrEnum):
    """What the comparison with people allows."""

    UNCALIBRATED = "uncalibrated"
    TOO_FEW = "too few to rely on"
    CALIBRATED = "calibrated"
    STALE = "stale"


def trust(labels: int, positives: int, age_days: float) -> Trust:
    """Return the state of a judge identity compared `age_days` ago with so many human labels.

    Any change of the judge makes another identity, which starts with no labels: uncalibrated.
    """
    if labels == 0:
        return Trust.UNCALIBRATED
    if labels < LEAST_LABELS or min(positives, labels - positives) < LEAST_OF_EITHER_CLASS:
        return Trust.TOO_FEW
    return Trust.STALE if age_days > FRESH_DAYS else Trust.CALIBRATED
