"""Verb: files out of what people said. Each in a fixed order: the same state gives the same bytes."""

from __future__ import annotations

from labeling.export.calibration import CALIBRATION_FORMATS, attachment, calibration_file
from labeling.export.gold import GOLD_FORMATS, gold_file
from labeling.export.lines import pseudonym
from labeling.export.run_file import RUN_FORMATS, run_file
from labeling.export.verdicts import VERDICT_FORMATS, verdicts_file

__all__ = [
    "CALIBRATION_FORMATS",
    "GOLD_FORMATS",
    "RUN_FORMATS",
    "VERDICT_FORMATS",
    "attachment",
    "calibration_file",
    "gold_file",
    "pseudonym",
    "run_file",
    "verdicts_file",
]
