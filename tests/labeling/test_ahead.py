"""The item after this one: reserved while the reviewer reads, its card fetched ahead, handed out by the save."""

from __future__ import annotations

import pytest

from labeling.models import Lease, ReviewSession, Verdict
from labeling.worklist import Seat, Wish, default_session, make_session, reserve, take
from tests.factories import make_member, make_query, make_run
from tests.labeling.screens import Desk, client_of, file_case, make_case, make_desk
from triage.models import Role

pytestmark = pytest.mark.django_db

SWAP = {"HX-Request": "true"}
MACHINE = ("0.31", "feedbeef", "sharp-judge", "unreachable</", "Machine", "Judge:", "not reached")


@pytest.fixture
def session() -> ReviewSession:
    run = make_run()
    for _ in range(4):
        make_query(run, correct=False)
    return default_session(run)


def taken(session: ReviewSession, user_id: int) -> Seat:
    """Return the seat that the queue hands out, which must be there."""
    seat = take(session, user_id)
    assert seat is not None
    return seat


def reserved(session: ReviewSession, user_id: int, position: int) -> Seat:
    """Return the seat that is reserved, which must be there."""
    seat = reserve(session, user_id, position)
    assert seat is not None
    return seat


class TestReserve:
    """The item after this one, kept for a page that fetches its card ahead."""

    def test_it_is_another_item_for_two_minutes_and_its_clock_does_not_run(self, session: ReviewSession) -> None:
        me = make_member(session.run.project, Role.REVIEWER).pk
        first = taken(session, me)
        kept = reserved(session, me, first.position)
        assert kept.position != first.position
        assert kept.seconds_left <= 120
        assert Lease.objects.get(pk=kept.lease_id).taken_at is None
        again = reserved(session, me, first.position)
        assert again.token == kept.token
        assert taken(session, me).position == first.position

    def test_nobody_else_is_handed_it_and_its_clock_starts_when_it_is_taken(self, session: ReviewSession) -> None:
        me, other = (make_member(session.run.project, Role.REVIEWER).pk for _ in range(2))
        first = taken(session, me)
        kept = reserved(session, me, first.position)
        assert taken(session, other).position not in {first.position, kept.position}
        Lease.objects.filter(pk=first.lease_id).update(state="done")
        now = taken(session, me)
        assert (now.position, now.token) == (kept.position, kept.token)
        assert now.seconds_left > 600
        assert Lease.objects.get(pk=now.lease_id).taken_at is not None

    def test_a_reservation_that_ran_out_goes_to_others(self, session: ReviewSession) -> None:
        me, other = (make_member(session.run.project, Role.REVIEWER).pk for _ in range(2))
        kept = reserved(session, me, taken(session, me).position)
        Lease.objects.filter(pk=kept.lease_id).update(expires_at="2020-01-01T00:00:00Z")
        assert taken(session, other).position == kept.position

    def test_an_item_that_is_open_in_another_tab_keeps_its_time_and_its_clock(self, session: ReviewSession) -> None:
        me = make_member(session.run.project, Role.REVIEWER).pk
        first = taken(session, me)
        seat = Lease.objects.get(pk=first.lease_id)
        kept = reserved(session, me, first.position + 1)
        assert kept.position == first.position
        assert kept.seconds_left > 600
        assert Lease.objects.get(pk=first.lease_id).taken_at == seat.taken_at

    def test_the_last_item_has_nothing_after_it(self, session: ReviewSession) -> None:
        me = make_member(session.run.project, Role.REVIEWER).pk
        Lease.objects.filter(session=session, position__gt=1).update(state="done")
        assert reserve(session, me, taken(session, me).position) is None

    def test_a_closed_session_reserves_nothing(self, session: ReviewSession) -> None:
        session.closed_at = session.created_at
        assert reserve(session, make_member(session.run.project, Role.REVIEWER).pk, 1) is None


def texts(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined]


class TestCard:
    """What the page fetches, and what the save then answers with."""

    def test_P44_it_is_the_blind_card_of_the_next_item_and_names_nothing_of_the_machine(self) -> None:
        desk = make_desk(items=3)
        desk.form()
        card = desk.client.get(desk.url(1, "ahead/"), headers=SWAP)
        page = texts(card)
        assert "item 2 of 3" in page
        assert card["Cache-Control"] == "no-store"
        for word in MACHINE:
            assert word not in page + str(card.headers), word

    def test_P44_beside_a_blind_item_no_open_card_is_handed_ahead(self) -> None:
        run = make_run()
        for _ in range(2):
            file_case(make_case(run))
        session = make_session(run, None, Wish(name="mixed", how="all", in_file_order=True))
        session.items.filter(position=2).update(blind=False)
        reviewer = make_member(run.project, Role.REVIEWER)
        desk = Desk(run, session, reviewer, client_of(reviewer))
        desk.form()
        card = desk.client.get(desk.url(1, "ahead/"), headers=SWAP)
        assert (card.status_code, card.content) == (204, b"")

    def test_a_save_that_names_the_kept_card_is_answered_with_the_bar_alone(self) -> None:
        desk = make_desk(items=3)
        desk.save(label="still_wrong")
        keep = desk.form()
        ahead = desk.client.get(desk.url(1, "ahead/"), headers=SWAP)
        answer = desk.client.post(desk.url(1), keep, headers={**SWAP, "X-Ahead": ahead["X-Ahead"]})
        assert (answer.status_code, answer["X-Review"], answer["HX-Push-Url"]) == (200, "ahead", desk.url(2))
        assert 'id="item"' not in texts(answer)
        assert answer["HX-Trigger-After-Settle"] == '{"announce": "Saved. Item 2 of 3."}'
        assert "<strong>1</strong> of 3" in texts(answer)
        assert Verdict.objects.filter(stage="revised").count() == 1
        assert f'name="token" value="{Lease.objects.get(position=2).token}"' in texts(ahead)

    def test_a_kept_card_of_an_item_that_went_to_somebody_else_is_not_used(self) -> None:
        desk = make_desk(items=3)
        desk.save(label="still_wrong")
        keep = desk.form()
        ahead = desk.client.get(desk.url(1, "ahead/"), headers=SWAP)
        Lease.objects.filter(position=2).update(expires_at="2020-01-01T00:00:00Z")
        taken(desk.session, make_member(desk.run.project, Role.REVIEWER).pk)
        answer = desk.client.post(desk.url(1), keep, headers={**SWAP, "X-Ahead": ahead["X-Ahead"]})
        assert answer["X-Review"] == "item"
        assert "item 3 of 3" in texts(answer)

    def test_nothing_is_handed_ahead_of_the_last_item(self) -> None:
        desk = make_desk(items=1)
        desk.form()
        assert desk.client.get(desk.url(1, "ahead/"), headers=SWAP).status_code == 204
