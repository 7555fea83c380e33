"""In a calibration round: the verdict that was known before, shown after one's own."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.models import Outcome, SessionItem, Verdict
from labeling.models.verdicts import Stage


@dataclass(frozen=True, slots=True)
class Known:
    """The final verdict of an item, with the reason where somebody ruled."""

    label: str
    sub_cause: str
    reason: str


def known_of(item: SessionItem) -> Known | None:
    """Return the known verdict of a round's item; None outside a round."""
    if not item.session.is_round:
        return None
    outcome = Outcome.objects.filter(query=item.query_id, state=Outcome.State.FINAL).first()
    ruling = Verdict.objects.filter(query=item.query_id, stage=Stage.ADJUDICATED, is_current=True).first()
    return Known(outcome.label, outcome.sub_cause, ruling.note if ruling else "") if outcome else None
