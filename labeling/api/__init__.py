"""The API's half of people: verdicts, comparisons of judges, release notes, gates, files."""

from __future__ import annotations
