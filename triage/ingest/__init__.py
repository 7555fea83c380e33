"""Verb: read an uploaded file into the rows of one run, all of it or nothing."""

from __future__ import annotations

from triage.ingest.verb import MAX_ATTEMPTS, ingest

__all__ = ["MAX_ATTEMPTS", "ingest"]
