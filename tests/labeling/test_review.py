"""Saving, taking back, sending on: the rows after each, with a real PostgreSQL."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, connections, transaction
from django.utils import timezone

from labeling.cards.desk import desk_of
from labeling.models import ClaimVerdict, Lease, Outcome, ReviewSession, Verdict
from labeling.review import (
    ContradictoryError,
    Decision,
    GoneError,
    InvalidError,
    Mark,
    Receipt,
    StaleError,
    Ticket,
    previous_position,
    requeue,
    save,
    skip,
    undo,
)
from labeling.worklist import Seat, take
from labeling.worklist.queue import TAKE_NEXT
from labeling.worklist.sessions import fill_all
from tests.factories import make_chunk, make_claim, make_member, make_query, make_run, make_user
from triage.models import Role, Run, Suggestion

pytestmark = pytest.mark.django_db

STILL = Decision(label="still_wrong")
MISS = Decision(label="retrieval_miss")


def session_of(failing: int = 1, overlap: int = 1, run: Run | None = None) -> ReviewSession:
    """Return a blind session over a run with this many failing queries."""
    run = run or make_run()
    for _ in range(failing):
        make_query(run)
    session = ReviewSession.objects.create(run=run, name="Read all", drawn="all", overlap=overlap)
    fill_all(session)
    return session


def taken(session: ReviewSession, user: User) -> Seat:
    """Return the seat the queue hands out."""
    seat = take(session, user.pk)
    assert seat is not None
    return seat


def ticket(seat: Seat, seen: int | None = None, key: UUID | None = None) -> Ticket:
    """Return what a fresh page of this seat sends along."""
    return Ticket(key=key or uuid4(), token=seat.token, seen=seen)


def judged(session: ReviewSession, user: User, decision: Decision = STILL) -> Receipt:
    """Take the next item and save the decision on it."""
    seat = taken(session, user)
    return save(session, user, seat.position, decision, ticket(seat))


def outcome(session: ReviewSession) -> tuple[str, str]:
    """Return state and label of the first item's outcome; two blanks where there is none."""
    found = Outcome.objects.filter(query__session_items__session=session).order_by("query").first()
    return (found.state, found.label) if found else ("", "")


def expire(seat: Seat) -> None:
    """Let the seat's time run out."""
    Lease.objects.filter(pk=seat.lease_id).update(expires_at=timezone.now() - timedelta(minutes=1))


def test_a_save_appends_a_verdict_finishes_the_seat_and_settles_the_item() -> None:
    session, anna = session_of(), make_user()
    Suggestion.objects.create(
        query=session.run.queries.get(), label="unscored", policy_fingerprint="abcd1234", gold_version=3, basis="b"
    )
    verdict = judged(session, anna, Decision("still_wrong", "buried_evidence", "seen at slot 18")).verdict
    assert (verdict.stage, verdict.blind, verdict.drawn) == ("first", True, "all")
    assert (verdict.suggested, verdict.policy_fingerprint, verdict.gold_version) == ("unscored", "abcd1234", 3)
    assert verdict.seconds is not None
    assert verdict.seconds >= 0
    assert session.leases.get().state == "done"
    assert outcome(session) == ("final", "still_wrong")


def test_P49_a_note_without_a_label_is_kept_and_decides_nothing() -> None:
    session, anna = session_of(), make_user()
    verdict = judged(session, anna, Decision(note="the policy page contradicts itself")).verdict
    assert (verdict.label, verdict.note) == ("", "the policy page contradicts itself")
    assert outcome(session) == ("", "")
    assert take(session, anna.pk) is None


@pytest.mark.parametrize(
    ("decision", "field"),
    [
        (Decision(), "label"),
        (Decision(label="retr"), "label"),
        (Decision(label="unscored"), "label"),
        (Decision(label="retrieval_miss", sub_cause="wrong_gold"), "sub_cause"),
        (Decision(label="", sub_cause="other", note="n"), "sub_cause"),
        (Decision(label="not_a_failure", note="x" * 20_001), "note"),
        (Decision(label="still_wrong", marks=(Mark(12345678, "supported"),)), "marks"),
    ],
)
def test_P53_what_is_not_in_the_codebook_is_refused_and_nothing_is_saved(decision: Decision, field: str) -> None:
    session, anna = session_of(), make_user()
    with pytest.raises(InvalidError) as refusal:
        judged(session, anna, decision)
    assert list(refusal.value.errors) == [field]
    assert not Verdict.objects.exists()
    assert session.leases.get().state == "taken"


def test_P53_the_database_refuses_a_label_outside_the_codebook_too() -> None:
    query = make_query(make_run())
    with pytest.raises(IntegrityError, match="verdict_label_known"):
        Verdict.objects.create(query=query, label="retr", blind=True, idempotency_key=uuid4())


def test_F46_the_same_key_twice_is_one_verdict() -> None:
    session, anna = session_of(2), make_user()
    seat = taken(session, anna)
    sent = ticket(seat)
    first = save(session, anna, seat.position, STILL, sent)
    again = save(session, anna, seat.position, STILL, sent)
    assert again.replayed
    assert again.verdict == first.verdict
    assert Verdict.objects.count() == 1


def test_F46_the_same_key_with_other_words_is_a_stale_page_and_changes_nothing() -> None:
    session, anna = session_of(), make_user()
    seat = taken(session, anna)
    sent = ticket(seat)
    first = save(session, anna, seat.position, STILL, sent).verdict
    with pytest.raises(StaleError) as refusal:
        save(session, anna, seat.position, MISS, sent)
    assert refusal.value.current == first
    assert Verdict.objects.get().label == "still_wrong"


def test_F46_two_tabs_with_different_words_leave_one_label_and_the_history() -> None:
    session, anna = session_of(), make_user()
    one, two = taken(session, anna), taken(session, anna)
    first = save(session, anna, one.position, STILL, ticket(one)).verdict
    with pytest.raises(StaleError):
        save(session, anna, two.position, MISS, ticket(two))
    insisted = save(session, anna, two.position, MISS, ticket(two, seen=first.pk))
    assert insisted.revised
    rows = Verdict.objects.order_by("pk").values_list("label", "stage", "is_current", "blind")
    assert list(rows) == [("still_wrong", "first", False, True), ("retrieval_miss", "revised", True, False)]
    assert outcome(session) == ("final", "retrieval_miss")


def test_F47_a_form_from_before_the_save_is_stale_however_often_it_comes() -> None:
    session, anna = session_of(), make_user()
    seat = taken(session, anna)
    save(session, anna, seat.position, STILL, ticket(seat))
    for _ in range(3):
        with pytest.raises(StaleError):
            save(session, anna, seat.position, MISS, ticket(seat))
    assert Verdict.objects.count() == 1


def test_a_kept_label_after_the_reveal_is_a_row_of_its_own_and_leaves_the_first_blind_one() -> None:
    session, anna = session_of(), make_user()
    seat = taken(session, anna)
    first = save(session, anna, seat.position, STILL, ticket(seat)).verdict
    kept = save(session, anna, seat.position, STILL, ticket(seat, seen=first.pk)).verdict
    first.refresh_from_db()
    assert (first.stage, first.blind, first.is_current, first.withdrawn) == ("first", True, False, False)
    assert (kept.stage, kept.blind, kept.is_current) == ("revised", False, True)


def test_F51_a_late_save_counts_when_nobody_else_took_the_seat() -> None:
    session, anna = session_of(), make_user()
    seat = taken(session, anna)
    expire(seat)
    assert save(session, anna, seat.position, STILL, ticket(seat)).verdict.is_current
    assert outcome(session) == ("final", "still_wrong")


def test_F51_a_late_save_takes_another_free_seat_of_the_item() -> None:
    session, anna, ben = session_of(overlap=2), make_user(), make_user()
    late = taken(session, anna)
    expire(late)
    assert taken(session, ben).lease_id == late.lease_id
    save(session, anna, late.position, STILL, ticket(late))
    assert session.leases.filter(reviewer=anna, state="done").count() == 1


def test_F45_a_late_save_on_an_item_somebody_else_has_now_is_refused_and_overwrites_nothing() -> None:
    session, anna, ben = session_of(), make_user(), make_user()
    late = taken(session, anna)
    expire(late)
    save(session, ben, late.position, MISS, ticket(taken(session, ben)))
    with pytest.raises(GoneError):
        save(session, anna, late.position, STILL, ticket(late))
    assert list(Verdict.objects.values_list("reviewer", "label")) == [(ben.pk, "retrieval_miss")]


def test_F45_two_people_on_the_same_item_both_keep_their_labels() -> None:
    session, anna, ben = session_of(overlap=2), make_user(), make_user()
    one, two = taken(session, anna), taken(session, ben)
    assert one.item_id == two.item_id
    save(session, anna, 1, STILL, ticket(one))
    assert outcome(session) == ("incomplete", "")
    save(session, ben, 1, MISS, ticket(two))
    assert Verdict.objects.filter(is_current=True).count() == 2
    assert outcome(session) == ("needs_adjudication", "")


def test_a_stranger_without_a_seat_saves_nothing() -> None:
    session, anna, eve = session_of(), make_user(), make_user()
    seat = taken(session, anna)
    with pytest.raises(GoneError):
        save(session, eve, seat.position, STILL, ticket(seat))


def test_an_old_token_of_ones_own_seat_is_stale() -> None:
    session, anna = session_of(), make_user()
    seat = taken(session, anna)
    with pytest.raises(StaleError):
        save(session, anna, seat.position, STILL, Ticket(key=uuid4(), token=uuid4()))


def test_P55_the_outcome_is_rebuilt_from_the_verdicts_that_stand() -> None:
    session = session_of(overlap=3)
    for decision in (STILL, MISS, STILL):
        judged(session, make_user(), decision)
    assert outcome(session) == ("final", "still_wrong")
    assert Outcome.objects.get().verdicts == 3


class TestMarks:
    """Claim verdicts that come with a save."""

    @pytest.fixture
    def session(self) -> ReviewSession:
        run = make_run()
        chunks = [make_chunk(run, key) for key in ("a", "b")]
        query = make_query(run, chunks)
        for _ in range(3):
            make_claim(query)
        return session_of(0, run=run)

    def marks(self, session: ReviewSession, *supports: str) -> tuple[Mark, ...]:
        claims = session.run.queries.get().claims.order_by("position")
        return tuple(Mark(claim.pk, support) for claim, support in zip(claims, supports, strict=False))

    def test_marks_are_stored_with_the_chunk_of_their_slot_and_its_span(self, session: ReviewSession) -> None:
        claim = session.run.queries.get().claims.first()
        assert claim is not None
        marks = (Mark(claim.pk, "supported", slot=2, span=(3, 9)),)
        verdict = judged(session, make_user(), Decision("still_wrong", marks=marks)).verdict
        mark = ClaimVerdict.objects.get()
        assert mark.chunk is not None
        assert (mark.chunk.key, mark.evidence_start, mark.evidence_end) == ("b", 3, 9)
        assert (mark.verdict, mark.blind, mark.stage) == (verdict, True, "first")

    def test_a_slot_the_prompt_does_not_have_is_no_evidence(self, session: ReviewSession) -> None:
        claim = session.run.queries.get().claims.first()
        assert claim is not None
        judged(session, make_user(), Decision("still_wrong", marks=(Mark(claim.pk, "supported", 9, (0, 1)),)))
        mark = ClaimVerdict.objects.get()
        assert (mark.chunk, mark.evidence_start) == (None, None)

    def test_a_label_the_marks_speak_against_is_refused_once_and_kept_when_insisted(
        self, session: ReviewSession
    ) -> None:
        anna = make_user()
        marks = self.marks(session, "supported", "supported", "unsupported")
        with pytest.raises(ContradictoryError) as refusal:
            judged(session, anna, Decision("still_wrong", marks=marks))
        assert refusal.value.conflict.claims == (3,)
        verdict = judged(session, anna, Decision("still_wrong", marks=marks, insists=True)).verdict
        assert verdict.conflicts

    def test_only_marks_that_say_something_new_become_rows(self, session: ReviewSession) -> None:
        anna = make_user()
        seat = taken(session, anna)
        marks = self.marks(session, "supported", "supported", "unsupported")
        first = save(session, anna, 1, Decision("unsupported_claims", marks=marks), ticket(seat)).verdict
        changed = self.marks(session, "supported", "unsure", "unsupported")
        save(session, anna, 1, Decision("unsupported_claims", marks=changed), ticket(seat, seen=first.pk))
        assert ClaimVerdict.objects.count() == 4
        current = ClaimVerdict.objects.filter(is_current=True).order_by("claim__position")
        assert [mark.label for mark in current] == ["supported", "unsure", "unsupported"]

    def test_undo_takes_the_marks_back_and_what_they_replaced_counts_again(self, session: ReviewSession) -> None:
        anna = make_user()
        seat = taken(session, anna)
        first = save(
            session, anna, 1, Decision("still_wrong", marks=self.marks(session, "supported")), ticket(seat)
        ).verdict
        change = Decision("unsupported_claims", marks=self.marks(session, "unsupported"))
        save(session, anna, 1, change, ticket(seat, seen=first.pk))
        undo(session, anna)
        assert ClaimVerdict.objects.get(is_current=True).label == "supported"
        undo(session, anna)
        assert not ClaimVerdict.objects.filter(is_current=True).exists()
        assert ClaimVerdict.objects.filter(withdrawn=True).count() == 2


class TestMoves:
    """Undo, skip, back."""

    def test_undo_withdraws_the_save_and_opens_the_item_for_the_same_reviewer(self) -> None:
        session, anna = session_of(2), make_user()
        judged(session, anna)
        undone = undo(session, anna)
        assert undone is not None
        assert (undone.position, undone.verdict.label) == (1, "still_wrong")
        assert outcome(session) == ("", "")
        assert Verdict.objects.get().withdrawn
        seat = taken(session, anna)
        assert seat.position == 1
        assert seat.seconds_left > 14 * 60

    def test_after_an_undo_the_next_save_is_not_blind_because_the_machine_was_shown(self) -> None:
        session, anna = session_of(), make_user()
        judged(session, anna)
        undo(session, anna)
        verdict = judged(session, anna, MISS).verdict
        assert not verdict.blind
        assert verdict.stage == "first"

    def test_undo_goes_back_save_by_save_and_ends_after_the_last_twenty(self) -> None:
        session, anna = session_of(22), make_user()
        for _ in range(22):
            judged(session, anna)
        positions = []
        while (undone := undo(session, anna)) is not None:
            positions.append(undone.position)
        assert positions == list(range(22, 2, -1))
        assert Verdict.objects.filter(is_current=True).count() == 2

    def test_nobody_undoes_what_others_saved(self) -> None:
        session, anna, ben = session_of(), make_user(), make_user()
        judged(session, anna)
        assert undo(session, ben) is None
        assert Verdict.objects.get().is_current

    def test_a_skip_frees_the_seat_for_others_and_keeps_the_reason(self) -> None:
        session, anna, ben = session_of(), make_user(), make_user()
        seat = taken(session, anna)
        skip(session, anna, seat.position, seat.token, "needs a lawyer")
        assert session.items.get().skips.get().reason == "needs a lawyer"
        assert take(session, anna.pk) is None
        assert taken(session, ben).item_id == seat.item_id

    def test_skipped_items_come_back_when_asked_for(self) -> None:
        session, anna = session_of(), make_user()
        seat = taken(session, anna)
        skip(session, anna, seat.position, seat.token)
        assert requeue(session, anna) == 1
        assert taken(session, anna).position == 1

    def test_a_skip_needs_the_token_of_the_seat(self) -> None:
        session, anna = session_of(), make_user()
        taken(session, anna)
        with pytest.raises(GoneError):
            skip(session, anna, 1, uuid4())
        assert session.leases.get().state == "taken"

    def test_back_walks_through_own_saves_newest_first(self) -> None:
        session, anna = session_of(4), make_user()
        for _ in range(3):
            judged(session, anna)
        assert previous_position(session, anna, 4) == 3
        assert previous_position(session, anna, 3) == 2
        assert previous_position(session, anna, 1) is None
        assert previous_position(session, make_user()) is None


def test_a_save_costs_the_same_statements_however_much_was_saved_before(
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    session, anna = session_of(12), make_user()
    for _ in range(10):
        judged(session, anna)
    seat = taken(session, anna)
    with django_assert_max_num_queries(14):
        save(session, anna, seat.position, STILL, ticket(seat))


class TestTogether:
    """Real concurrency: every client with a connection of its own."""

    pytestmark = pytest.mark.django_db(transaction=True)

    @pytest.fixture(autouse=True)
    def _close_connections(self) -> Iterator[None]:
        yield
        connection.close()

    def test_F46_a_double_click_and_a_held_enter_key_are_one_verdict(self) -> None:
        session, anna = session_of(2), make_user()
        seat = taken(session, anna)
        sent, start, receipts = ticket(seat), threading.Barrier(6), []

        def click(_number: int) -> None:
            start.wait()
            try:
                receipts.append(save(session, anna, seat.position, STILL, sent))
            finally:
                connections.close_all()

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(click, range(6)))
        assert Verdict.objects.count() == 1
        assert sorted(receipt.replayed for receipt in receipts) == [False, True, True, True, True, True]

    @pytest.mark.parametrize("overlap", [1, 2])
    def test_F50_eight_reviewers_save_everything_exactly_overlap_times_and_lose_nothing(self, overlap: int) -> None:
        session = session_of(24, overlap=overlap)
        reviewers = [make_member(session.run.project, Role.REVIEWER) for _ in range(8)]
        start = threading.Barrier(8)

        def work(reviewer: User) -> int:
            start.wait()
            saves = 0
            try:
                while (seat := take(session, reviewer.pk)) is not None:
                    save(session, reviewer, seat.position, STILL, ticket(seat))
                    saves += 1
            finally:
                connections.close_all()
            return saves

        with ThreadPoolExecutor(8) as pool:
            saves = sum(pool.map(work, reviewers))
        assert saves == 24 * overlap
        rows = Verdict.objects.filter(is_current=True).values_list("query", "reviewer")
        assert len(set(rows)) == len(rows) == 24 * overlap
        assert set(Counter(query for query, _ in rows).values()) == {overlap}
        assert Outcome.objects.filter(state="final", label="still_wrong", verdicts=overlap).count() == 24

    def test_two_tabs_saving_different_words_at_the_same_moment_leave_one_current_label(self) -> None:
        session, anna = session_of(), make_user()
        seat, start, stale = taken(session, anna), threading.Barrier(2), []

        def submit(decision: Decision) -> None:
            start.wait()
            try:
                save(session, anna, 1, decision, ticket(seat))
            except StaleError as refusal:
                stale.append(refusal)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(submit, [STILL, MISS]))
        assert len(stale) == 1
        assert Verdict.objects.filter(is_current=True).count() == 1

    def test_a_save_that_fails_half_way_leaves_nothing_behind(self) -> None:
        session, anna = session_of(), make_user()
        seat = taken(session, anna)

        @transaction.atomic
        def die_half_way() -> None:
            save(session, anna, 1, STILL, ticket(seat))
            raise RuntimeError("the process died here")

        with pytest.raises(RuntimeError):
            die_half_way()
        assert not Verdict.objects.exists()
        assert not Outcome.objects.exists()
        assert session.leases.get().state == "taken"


READ = """
SELECT sum(COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0))::int
FROM pg_stat_xact_user_tables WHERE relname LIKE 'labeling\\_%'
"""


def rows_read() -> int:
    """Return how many rows of our tables this transaction has read so far."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return int(cursor.fetchone()[0])


def test_saving_and_taking_read_as_many_rows_of_a_long_queue_as_of_a_short_one() -> None:
    session_of(failing=400).leases.update(state="done")
    with connection.cursor() as cursor:  # what follows is unknown to the statistics, as a session just made is
        cursor.execute("ANALYZE labeling_lease, labeling_sessionitem, labeling_verdict")
    long, short = session_of(failing=400, overlap=2), session_of(failing=8, overlap=2)
    counts = []
    for session in (short, long):
        anna = make_member(session.run.project, Role.REVIEWER)
        for _ in range(4):
            seat = taken(session, anna)
            before = rows_read()
            save(session, anna, seat.position, STILL, ticket(seat))
            taken(session, anna)
            desk_of(session, anna.pk)
            counts.append(rows_read() - before)
    assert max(counts[4:]) <= max(counts[:4]) + 20, counts


def test_a_reviewers_own_seat_is_never_looked_for_among_all_open_ones() -> None:
    """While statistics know nothing of a session, the two indexes look alike. Here the right one is gone altogether."""
    values = {"user": "$1", "session": "$2", "minutes": "$3", "taken": "$4"}
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX own_seats_in_order")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (GENERIC_PLAN) {TAKE_NEXT % values}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "open_seats_in_order on labeling_lease open" in plan
    assert "open_seats_in_order on labeling_lease mine" not in plan
