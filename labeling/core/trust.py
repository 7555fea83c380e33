"""May a judge's word be relied on? Plain Python; no clock: days are told."""

from __future__ import annotations

from triage.core.trust import Trust

__all__ = ["FRESH_DAYS", "LEAST_LABELS", "LEAST_OF_EITHER_CLASS", "Trust", "trust"]

#: Under these, figures are shown and marked.
LEAST_LABELS = 30
LEAST_OF_EITHER_CLASS = 10
#: A comparison older than this many days no longer counts as fresh.
FRESH_DAYS = 90


def trust(labels: int, positives: int, age_days: float) -> Trust:
    """Return the state of a judge identity compared `age_days` ago with so many human labels.

    Any change of the judge makes another identity, which starts with no labels: uncalibrated.
    """
    if labels == 0:
        return Trust.UNCALIBRATED
    if labels < LEAST_LABELS or min(positives, labels - positives) < LEAST_OF_EITHER_CLASS:
        return Trust.TOO_FEW
    return Trust.STALE if age_days > FRESH_DAYS else Trust.CALIBRATED
