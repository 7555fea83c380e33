"""The rows of the human's half: sessions, leases, verdicts, challenges, calibrations."""

from __future__ import annotations

from labeling.models.agreements import AgreementReport
from labeling.models.calibrations import Calibration
from labeling.models.codebook import CodebookVersion
from labeling.models.comments import Comment
from labeling.models.mended import MendedDocument
from labeling.models.notices import DueNotice
from labeling.models.preferences import Preference
from labeling.models.sessions import Lease, ReviewSession, SessionItem, Skip
from labeling.models.snapshots import NoteSnapshot
from labeling.models.verdicts import ClaimVerdict, GoldChallenge, Outcome, Verdict

__all__ = [
    "AgreementReport",
    "Calibration",
    "ClaimVerdict",
    "CodebookVersion",
    "Comment",
    "DueNotice",
    "GoldChallenge",
    "Lease",
    "MendedDocument",
    "NoteSnapshot",
    "Outcome",
    "Preference",
    "ReviewSession",
    "SessionItem",
    "Skip",
    "Verdict",
]
