"""Verb: a run's rows as the records of a run file, as they came, with what people added."""

from __future__ import annotations

from triage.export.people import Nobody, People
from triage.export.records import chunks_beside, chunks_of, head_of, lines_of, queries_of, record_of

__all__ = [
    "Nobody",
    "People",
    "chunks_beside",
    "chunks_of",
    "head_of",
    "lines_of",
    "queries_of",
    "record_of",
]
