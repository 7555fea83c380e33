"""The rows of the human's half: sessions, leases, verdicts, challenges, calibrations."""

from __future__ import annotations

from labeling.models.calibrations import Calibration
from labeling.models.sessions import Lease, ReviewSession, SessionItem
from labeling.models.verdicts import ClaimVerdict, GoldChallenge, Outcome, Verdict

__all__ = [
    "Calibration",
    "ClaimVerdict",
    "GoldChallenge",
    "Lease",
    "Outcome",
    "ReviewSession",
    "SessionItem",
    "Verdict",
]
