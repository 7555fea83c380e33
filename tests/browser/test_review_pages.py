"""The pages around the review screen, looked at in light and dark, wide and on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from labeling.agree import agree
from labeling.challenge import raise_challenge
from labeling.models import Verdict
from labeling.settle import settle_queries
from labeling.worklist import Wish, make_session
from tests.factories import make_member
from tests.labeling.screens import Desk, make_desk
from tests.tabs import PHONE, WIDE, Tab
from triage.models import Role

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS = [(WIDE, False), (WIDE, True), (PHONE, False), (PHONE, True)]


@pytest.fixture
def desk() -> Desk:
    """A run read by two people who disagree once, with a session and a challenge."""
    desk = make_desk(items=4)
    session = make_session(desk.run, None, Wish(name="Two readers", how="all", overlap=2, guidelines="Read twice."))
    for place, reviewer in enumerate((desk.reviewer, make_member(desk.run.project, Role.REVIEWER))):
        for item in session.items.all():
            label = "still_wrong" if place and item.position == 1 else "retrieval_miss"
            Verdict.objects.create(
                query=item.query,
                item=item,
                reviewer=reviewer,
                label=label,
                blind=True,
                suggested="retrieval_miss",
                seconds=30,
                idempotency_key=f"{place}{item.position:031}",
            )
    raise_challenge(desk.run.queries.all()[0], desk.reviewer, "wrong_chunk", chunk="1", note="another plan")
    return desk


@pytest.mark.parametrize(("width", "dark"), LOOKS, ids=["wide", "wide-dark", "phone", "phone-dark"])
def test_every_page_around_reviewing_is_accessible_and_fits(
    open_tab: Callable[..., Tab], desk: Desk, width: int, dark: bool
) -> None:
    settle_queries(desk.run.queries.values_list("pk", flat=True))
    agree(desk.run)
    lead = make_member(desk.run.project, Role.LEAD)
    run, slug = desk.run.key, desk.run.project.slug
    session = desk.run.sessions.get(name="Two readers")
    position = desk.run.queries.get(outcome__state="needs_adjudication").position
    tab = open_tab(f"/p/{slug}/sessions/", user=lead, width=width, dark=dark)
    for path in (
        f"/p/{slug}/sessions/",
        f"/runs/{run}/sessions/new/",
        f"/sessions/{session.key}/",
        f"/runs/{run}/adjudication/",
        f"/runs/{run}/adjudication/{position}/",
        f"/runs/{run}/agreement/",
        f"/runs/{run}/agreement/cell/?a=retrieval_miss&b=still_wrong",
        f"/p/{slug}/challenges/",
        f"/p/{slug}/challenges/{desk.run.queries.all()[0].gold_challenges.get().pk}/",
        f"/p/{slug}/codebook/",
        f"/runs/{run}/notes/",
        f"/runs/{run}/confirm/",
        f"/sessions/{desk.session.key}/review/1/challenge/",
    ):
        response = tab.page.goto(path)
        assert response is not None
        assert response.status == 200, path
        assert tab.axe() == [], path
        assert tab.overflow() == 0, path
    assert tab.complaints == []
