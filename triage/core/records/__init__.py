"""Run file version 1: the one definition behind the reader, the API bodies and the published JSON Schema."""

from __future__ import annotations

from triage.core.records.chunk import CHUNK_FIELDS, ChunkRecord, RetrievedRecord, told
from triage.core.records.claim import ClaimMarkRecord, ClaimRecord, VerdictRecord
from triage.core.records.faults import WHOLE_LINE, RecordError, RowError, describe, visible
from triage.core.records.notices import NOTICES, Notice, Notices, Remarks
from triage.core.records.parsing import KINDS, AnyRecord, parse
from triage.core.records.people import ChallengeRecord, HumanVerdictRecord, RatingRecord
from triage.core.records.query import QueryRecord, TurnRecord
from triage.core.records.run import EvaluationSetRecord, PricesRecord, RunRecord
from triage.core.records.scores import ScoreRecord

__all__ = [
    "CHUNK_FIELDS",
    "KINDS",
    "NOTICES",
    "WHOLE_LINE",
    "AnyRecord",
    "ChallengeRecord",
    "ChunkRecord",
    "ClaimMarkRecord",
    "ClaimRecord",
    "EvaluationSetRecord",
    "HumanVerdictRecord",
    "Notice",
    "Notices",
    "PricesRecord",
    "QueryRecord",
    "RatingRecord",
    "RecordError",
    "Remarks",
    "RetrievedRecord",
    "RowError",
    "RunRecord",
    "ScoreRecord",
    "TurnRecord",
    "VerdictRecord",
    "describe",
    "parse",
    "told",
    "visible",
]
