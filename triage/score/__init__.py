"""The verb `score`: ask the judges what they say of a run's claims and answers, and keep their words as rows."""

from __future__ import annotations

from triage.judges.roster import UnknownJudgeError
from triage.judges.setups import SetupError
from triage.score.panels import panel_of
from triage.score.verb import Scored, score

__all__ = ["Scored", "SetupError", "UnknownJudgeError", "panel_of", "score"]
