"""What the pages of the human's half send, read into the values the verbs take."""

from __future__ import annotations

from labeling.forms.challenge import ChallengeForm, ChallengeRulingForm
from labeling.forms.codebook import NotesForm, SubCauseForm
from labeling.forms.decision import DecisionForm, SkipForm
from labeling.forms.economics import EconomicsForm
from labeling.forms.keys import KeysForm
from labeling.forms.labels import LabelsForm
from labeling.forms.ruling import RulingForm
from labeling.forms.sessions import SessionForm
from labeling.forms.withdrawal import WithdrawalForm

__all__ = [
    "ChallengeForm",
    "ChallengeRulingForm",
    "DecisionForm",
    "EconomicsForm",
    "KeysForm",
    "LabelsForm",
    "NotesForm",
    "RulingForm",
    "SessionForm",
    "SkipForm",
    "SubCauseForm",
    "WithdrawalForm",
]
