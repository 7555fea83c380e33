"""The queue with a real PostgreSQL: one seat a person, nobody served twice, leases by the database's clock."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, connections
from django.utils import timezone

from labeling.models import Lease, ReviewSession, SessionItem, Skip, Verdict
from labeling.worklist import EmptyQueue, Reason, Seat, default_session, hold, progress, take, why_empty
from labeling.worklist.sessions import fill_all
from tests.factories import make_member, make_query, make_run, make_user
from triage.models import Role, Run, Suggestion
from triage.signals import run_classified

pytestmark = pytest.mark.django_db


def run_of(failing: int, passing: int = 0, undecided: int = 0) -> Run:
    """Return a run with this many queries of each kind, mixed: failing ones come first in the file."""
    run = make_run()
    for correct, number in ((False, failing), (True, passing), (None, undecided)):
        for _ in range(number):
            make_query(run, correct=correct)
    return run


def session_of(run: Run, overlap: int = 1) -> ReviewSession:
    """Return a blind session of all failing queries with this overlap."""
    session = ReviewSession.objects.create(run=run, name="Read all", drawn="all", overlap=overlap)
    fill_all(session)
    return session


def finish(seat: Seat, reviewer: User) -> None:
    """Mark the seat done, as a save does."""
    Lease.objects.filter(pk=seat.lease_id, token=seat.token, reviewer=reviewer).update(state="done")


def expire(seat: Seat) -> None:
    """Let the seat's time run out."""
    Lease.objects.filter(pk=seat.lease_id).update(expires_at=timezone.now() - timedelta(minutes=1))


def test_the_default_session_holds_all_failing_queries_in_file_order_and_is_made_once() -> None:
    run = run_of(failing=3, passing=2)
    session = default_session(run)
    assert default_session(run) == session
    items = list(session.items.order_by("position").values_list("position", "query__position", "blind", "inclusion"))
    assert items == [(1, 1, True, 1.0), (2, 2, True, 1.0), (3, 3, True, 1.0)]
    assert session.frame["items"] == 3
    assert session.frame["filter"] == {}
    assert session.leases.count() == 3


def test_a_run_without_failures_offers_its_undecided_answers() -> None:
    session = default_session(run_of(failing=0, passing=1, undecided=4))
    assert session.population == "undecided"
    assert session.items.count() == 4


def test_strata_are_the_automatic_labels_at_the_draw_and_unscored_counts_by_its_would_be() -> None:
    run = run_of(failing=3)
    first, second, _third = run.queries.order_by("position")
    common = {"policy_fingerprint": "p", "is_current": True}
    Suggestion.objects.create(query=first, label="retrieval_miss", basis="a", **common)
    Suggestion.objects.create(query=second, label="unscored", would_be="still_wrong", basis="b", **common)
    session = default_session(run)
    assert session.strata == {"retrieval_miss": 1, "still_wrong": 1, "": 1}
    Suggestion.objects.filter(query=first).update(label="still_wrong")
    assert session.items.get(query=first).stratum == "retrieval_miss"


def test_a_session_made_before_the_run_had_classes_gets_its_strata_from_the_first_ones_only() -> None:
    run = run_of(failing=2)
    session = default_session(run)
    assert session.strata == {"": 2}
    first, second = run.queries.order_by("position")
    for query in (first, second):
        Suggestion.objects.create(query=query, label="retrieval_miss", basis="a", policy_fingerprint="p")
    run_classified.send(sender=Run, run_id=run.pk)
    session.refresh_from_db()
    assert session.strata == {"retrieval_miss": 2}
    Suggestion.objects.update(label="still_wrong")
    run_classified.send(sender=Run, run_id=run.pk)
    assert set(session.items.values_list("stratum", flat=True)) == {"retrieval_miss"}


def test_an_item_is_handed_out_in_order_with_a_token_and_fifteen_minutes() -> None:
    session = session_of(run_of(failing=2))
    seat = take(session, make_user().pk)
    assert seat is not None
    assert seat.position == 1
    assert seat.blind
    assert 14 * 60 < seat.seconds_left <= 15 * 60


def test_the_same_reviewer_is_given_the_open_item_again_with_the_same_token() -> None:
    session, reviewer = session_of(run_of(failing=2)), make_user()
    assert take(session, reviewer.pk) == take(session, reviewer.pk)


def test_a_taken_item_is_passed_over_and_a_done_one_never_comes_back() -> None:
    session, anna, ben = session_of(run_of(failing=2)), make_user(), make_user()
    first, second = take(session, anna.pk), take(session, ben.pk)
    assert first is not None
    assert second is not None
    assert (first.position, second.position) == (1, 2)
    finish(first, anna)
    assert take(session, anna.pk) is None


def test_P43_with_overlap_two_the_second_person_still_gets_what_the_first_finished() -> None:
    session, anna, ben = session_of(run_of(failing=1), overlap=2), make_user(), make_user()
    seat = take(session, anna.pk)
    assert seat is not None
    finish(seat, anna)
    second = take(session, ben.pk)
    assert second is not None
    assert second.item_id == seat.item_id
    assert second.lease_id != seat.lease_id
    assert take(session, make_user().pk) is None


def test_nobody_holds_two_seats_of_one_item() -> None:
    session, anna = session_of(run_of(failing=1), overlap=2), make_user()
    seat = take(session, anna.pk)
    assert seat is not None
    finish(seat, anna)
    assert take(session, anna.pk) is None


def test_a_skipped_item_goes_to_others_and_not_back() -> None:
    session, anna, ben = session_of(run_of(failing=1)), make_user(), make_user()
    seat = take(session, anna.pk)
    assert seat is not None
    Lease.objects.filter(pk=seat.lease_id).update(state="free", reviewer=None, token=None)
    Skip.objects.create(item_id=seat.item_id, reviewer=anna)
    assert take(session, anna.pk) is None
    assert take(session, ben.pk) is not None


def test_a_query_judged_in_another_session_is_not_handed_out_again() -> None:
    run, anna = run_of(failing=1), make_user()
    session = session_of(run)
    Verdict.objects.create(
        query=run.queries.get(), reviewer=anna, label="still_wrong", blind=True, idempotency_key="0" * 32
    )
    assert take(session, anna.pk) is None
    assert why_empty(session, anna.pk).reason is Reason.YOURS_DONE


def test_F51_an_abandoned_seat_returns_to_the_queue_when_its_time_is_over() -> None:
    session, anna, ben = session_of(run_of(failing=1)), make_user(), make_user()
    seat = take(session, anna.pk)
    assert seat is not None
    assert take(session, ben.pk) is None
    expire(seat)
    stolen = take(session, ben.pk)
    assert stolen is not None
    assert stolen.lease_id == seat.lease_id
    assert stolen.token != seat.token
    assert hold(session, anna.pk, seat.position, seat.token) is None


def test_an_expired_seat_that_nobody_took_is_renewed_by_the_next_heartbeat() -> None:
    session, anna = session_of(run_of(failing=1)), make_user()
    seat = take(session, anna.pk)
    assert seat is not None
    expire(seat)
    left = hold(session, anna.pk, seat.position, seat.token)
    assert left is not None
    assert left > 14 * 60


def test_F52_an_empty_queue_says_how_many_are_with_others_and_until_when() -> None:
    session, anna, ben = session_of(run_of(failing=1)), make_user(), make_user()
    take(session, ben.pk)
    empty = why_empty(session, anna.pk)
    assert empty.reason is Reason.WITH_OTHERS
    assert empty.with_others == 1
    assert empty.until is not None
    assert empty.until > timezone.now()


def test_an_empty_queue_says_whether_it_is_done_skipped_closed_or_held_nothing() -> None:
    anna = make_user()
    done = session_of(run_of(failing=1))
    seat = take(done, anna.pk)
    assert seat is not None
    finish(seat, anna)
    assert why_empty(done, anna.pk).reason is Reason.DONE
    skipped = session_of(run_of(failing=1))
    Skip.objects.create(item=skipped.items.get(), reviewer=anna)
    assert why_empty(skipped, anna.pk) == EmptyQueue(Reason.SKIPPED, items=1, skipped=1, seats_open=1)
    assert why_empty(session_of(run_of(failing=0, passing=1)), anna.pk).reason is Reason.NOTHING_DRAWN
    closed = session_of(run_of(failing=1))
    closed.closed_at = timezone.now()
    assert take(closed, anna.pk) is None
    assert why_empty(closed, anna.pk).reason is Reason.CLOSED


def test_progress_counts_own_items_and_the_median_of_own_saves() -> None:
    run = run_of(failing=3)
    session, anna = session_of(run), make_user()
    for seconds in (10.0, 30.0):
        seat = take(session, anna.pk)
        assert seat is not None
        finish(seat, anna)
        Verdict.objects.create(
            query_id=seat.query_id,
            item_id=seat.item_id,
            reviewer=anna,
            label="still_wrong",
            blind=True,
            seconds=seconds,
            idempotency_key=seat.token,
        )
    done = progress(session, anna.pk)
    assert (done.done, done.items, done.median_s) == (2, 3, 20.0)
    assert progress(session, make_user().pk).median_s is None


def test_P45_the_same_query_cannot_be_queued_twice_in_a_session() -> None:
    session = session_of(run_of(failing=1))
    with pytest.raises(IntegrityError, match="query_once_per_session"):
        SessionItem.objects.create(session=session, query=session.items.get().query, position=2)


def test_taking_an_item_costs_the_same_statements_however_long_the_queue(
    django_assert_num_queries: Callable[..., object],
) -> None:
    for failing in (1, 30):
        session, anna = session_of(run_of(failing=failing)), make_user()
        with django_assert_num_queries(3):  # savepoint, the statement, release
            take(session, anna.pk)


class TestTogether:
    """Many reviewers at once, each with a connection of their own."""

    pytestmark = pytest.mark.django_db(transaction=True)

    @pytest.fixture(autouse=True)
    def _close_connections(self) -> Iterator[None]:
        yield
        connection.close()

    @pytest.mark.parametrize("overlap", [1, 2])
    def test_P42_eight_reviewers_get_every_item_exactly_overlap_times_and_nobody_one_twice(self, overlap: int) -> None:
        run = run_of(failing=40)
        session = session_of(run, overlap=overlap)
        reviewers = [make_member(run.project, Role.REVIEWER) for _ in range(8)]
        served: list[tuple[int, int]] = []
        start = threading.Barrier(8)

        def work(reviewer: User) -> None:
            start.wait()
            try:
                while (seat := take(session, reviewer.pk)) is not None:
                    served.append((seat.item_id, reviewer.pk))
                    finish(seat, reviewer)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, reviewers))
        assert len(served) == len(set(served)), "a reviewer was given an item twice"
        assert set(Counter(item for item, _ in served).values()) == {overlap}
        assert len({item for item, _ in served}) == 40
        assert not session.leases.exclude(state="done").exists()

    def test_P42_a_double_click_on_next_never_takes_two_seats_of_one_item(self) -> None:
        session, anna = session_of(run_of(failing=5), overlap=2), make_user()
        start, seats = threading.Barrier(6), []

        def click(_number: int) -> None:
            start.wait()
            try:
                seats.append(take(session, anna.pk))
            finally:
                connections.close_all()

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(click, range(6)))
        assert None not in seats
        held = session.leases.filter(reviewer=anna)
        assert held.values("item").distinct().count() == held.count(), "two seats of one item"
        first = take(session, anna.pk)
        assert first is not None
        assert first.position == 1, "what a lost click took is handed out again first"

    def test_two_people_opening_a_run_at_once_share_one_default_session(self) -> None:
        run, start, found = run_of(failing=3), threading.Barrier(4), []

        def open_run(_number: int) -> None:
            start.wait()
            try:
                found.append(default_session(run).pk)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(open_run, range(4)))
        assert len(set(found)) == 1
        assert run.sessions.count() == 1
        assert run.sessions.get().items.count() == 3
