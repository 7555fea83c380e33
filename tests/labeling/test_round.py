"""Calibration rounds: practice on decided items, feedback after each, nothing counts."""

from __future__ import annotations

import pytest

from labeling.models import ClaimVerdict, Outcome, Verdict
from labeling.worklist import Wish, make_session
from tests.factories import make_member
from tests.labeling.screens import Desk, client_of, make_desk
from triage.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    """A new reviewer at a round over the two of three items that are decided."""
    desk = make_desk(items=3)
    for position in (1, 2):
        desk.save(position, label="still_wrong", **{"sub-still_wrong": "wrong_gold"})
    session = make_session(desk.run, None, Wish(name="Practice", how="round", n=10))
    newcomer = make_member(desk.run.project, Role.REVIEWER)
    return Desk(desk.run, session, newcomer, client_of(newcomer))


def test_a_round_holds_decided_items_only_with_a_seat_for_each_of_ten(desk: Desk) -> None:
    assert desk.session.items.count() == 2
    assert (desk.session.drawn, desk.session.overlap) == ("chosen", 10)


def test_the_known_verdict_is_shown_after_ones_own_and_not_before(desk: Desk) -> None:
    page = desk.client.get(desk.url(1)).content.decode()
    assert "Known" not in page
    revealed = desk.save(label="retrieval_miss", swap=True).content.decode()
    assert "<dt>Known</dt>" in revealed
    assert "Wrong gold" in revealed


def test_what_is_said_in_a_round_changes_no_outcome_and_is_no_first_verdict(desk: Desk) -> None:
    before = list(Outcome.objects.order_by("query").values_list("query", "state", "label", "verdicts"))
    form = desk.form()
    claim = next(name for name in form if name.startswith("evidence-")).removeprefix("evidence-")
    desk.send({**form, "label": "unsupported_claims", f"claim-{claim}": "unsupported"})
    desk.save()
    after = list(Outcome.objects.order_by("query").values_list("query", "state", "label", "verdicts"))
    assert after == before
    assert set(Verdict.objects.filter(reviewer=desk.reviewer).values_list("stage", flat=True)) == {"round"}
    assert ClaimVerdict.objects.get(reviewer=desk.reviewer).stage == "round"


def test_practice_can_be_undone_like_any_save(desk: Desk) -> None:
    desk.save(label="retrieval_miss")
    desk.client.post(f"/sessions/{desk.session.key}/review/undo/")
    assert not Verdict.objects.filter(reviewer=desk.reviewer, is_current=True).exists()
