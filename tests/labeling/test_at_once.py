"""What happens while somebody else is at the same rows: collisions, clocks that disagree, files written meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from labeling.files import pieces
from labeling.models import Lease, Verdict
from labeling.review import GoneError, save
from labeling.worklist import take
from tests.factories import make_member, make_project, make_query, make_run
from tests.labeling.rows import say
from tests.labeling.screens import make_desk
from tests.labeling.test_review import STILL, session_of, taken, ticket
from triage.models import Role, Run
from triage.models.collisions import TRIES
from triage.tasks.leases import lease

pytestmark = pytest.mark.django_db(transaction=True)

#: The database undoes the first saves: a sequence counts them, for it is not undone with them.
COLLIDE = """
CREATE SEQUENCE collisions;
CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('collisions') <= {times} THEN
    RAISE EXCEPTION 'somebody else was first' USING ERRCODE = '{code}';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER collide BEFORE INSERT ON labeling_verdict FOR EACH ROW EXECUTE FUNCTION collide();
"""
APART = "DROP TRIGGER collide ON labeling_verdict; DROP FUNCTION collide; DROP SEQUENCE collisions;"
DEADLOCK, SERIALIZATION = "40P01", "40001"


class Collisions:
    """Makes the database undo the first `times` saves."""

    def __init__(self) -> None:
        self.made = False

    def make(self, times: int, code: str) -> None:
        """Begin."""
        with connection.cursor() as cursor:
            cursor.execute(COLLIDE.format(times=times, code=code))
        self.made = True

    def tried(self) -> int:
        """Return how many saves reached the database."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT last_value FROM collisions")
            return int(cursor.fetchone()[0])


@pytest.fixture
def collisions() -> Iterator[Collisions]:
    made = Collisions()
    yield made
    if made.made:
        with connection.cursor() as cursor:
            cursor.execute(APART)


@pytest.mark.parametrize("code", [DEADLOCK, SERIALIZATION])
def test_F12_a_save_the_database_undid_is_tried_again(collisions: Collisions, code: str) -> None:
    session = session_of()
    reviewer = make_member(session.run.project, Role.REVIEWER)
    seat = taken(session, reviewer)
    collisions.make(TRIES - 1, code)
    receipt = save(session, reviewer, seat.position, STILL, ticket(seat))
    assert Verdict.objects.get() == receipt.verdict
    assert collisions.tried() == TRIES


def test_F12_a_save_that_collides_for_ever_is_said_not_to_be_saved(collisions: Collisions) -> None:
    desk = make_desk(items=1)
    form = {**desk.form(), "label": "still_wrong"}
    collisions.make(1_000, DEADLOCK)
    desk.client.raise_request_exception = False
    answer = desk.send(form, swap=True)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert collisions.tried() == TRIES
    assert not Verdict.objects.exists()


def test_F12_another_fault_is_not_tried_again(collisions: Collisions) -> None:
    session = session_of()
    reviewer = make_member(session.run.project, Role.REVIEWER)
    seat = taken(session, reviewer)
    collisions.make(1_000, "57014")  # cancelled by an operator
    with pytest.raises(OperationalError):
        save(session, reviewer, seat.position, STILL, ticket(seat))
    assert collisions.tried() == 1


# --- clocks ----------------------------------------------------------------------------------------------------------


def set_clock(patch: pytest.MonkeyPatch, by: timedelta) -> None:
    """Let this process's clocks be wrong by so much; the database keeps its own."""
    now, seconds = timezone.now, time.time

    def wrong() -> datetime:
        return now() + by

    patch.setattr(timezone, "now", wrong)
    patch.setattr(time, "time", lambda: seconds() + by.total_seconds())


@pytest.mark.parametrize("by", [timedelta(hours=2), timedelta(hours=-2)], ids=["fast", "slow"])
def test_F19_a_wrong_clock_neither_steals_a_seat_nor_keeps_one(by: timedelta) -> None:
    session = session_of()
    first, second = (make_member(session.run.project, Role.REVIEWER) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, by)
        seat = taken(session, first)
    assert take(session, second.pk) is None
    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, -by)
        assert take(session, second.pk) is None
        save(session, first, seat.position, STILL, ticket(seat))
    assert Verdict.objects.count() == 1


@pytest.mark.parametrize("by", [timedelta(hours=2), timedelta(hours=-2)], ids=["fast", "slow"])
def test_F19_a_seat_runs_out_by_the_clock_of_the_database(by: timedelta) -> None:
    session = session_of()
    first, second = (make_member(session.run.project, Role.REVIEWER) for _ in range(2))
    seat = taken(session, first)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE labeling_lease SET expires_at = clock_timestamp() - interval '1 second'")
    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, by)
        assert taken(session, second).lease_id == seat.lease_id
        with pytest.raises(GoneError):
            save(session, first, seat.position, STILL, ticket(seat))
    assert Lease.objects.get().reviewer_id == second.pk


@pytest.mark.parametrize("by", [timedelta(hours=2), timedelta(hours=-2)], ids=["fast", "slow"])
def test_F19_a_workers_wrong_clock_hands_no_query_out_twice(by: timedelta) -> None:
    run = make_run()
    make_query(run)
    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, by)
        assert len(lease(run.pk, "panel", 5)) == 1
    assert lease(run.pk, "panel", 5) == []
    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, -by)
        assert lease(run.pk, "panel", 5) == []


def test_F19_a_clock_set_back_an_hour_keeps_people_logged_in_and_the_order_of_verdicts() -> None:
    session = session_of(failing=2)
    reviewer = make_member(session.run.project, Role.REVIEWER)
    client = Client()
    client.force_login(reviewer)
    first = save(session, reviewer, 1, STILL, ticket(taken(session, reviewer))).verdict
    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, timedelta(hours=-1))
        assert client.get("/keys/").status_code == 200
        seat = taken(session, reviewer)
        second = save(session, reviewer, seat.position, STILL, ticket(seat)).verdict
    assert list(Verdict.objects.order_by("pk")) == [first, second]


# --- files written while labels change -------------------------------------------------------------------------------


def labels_in(lines: str) -> list[str]:
    told = [json.loads(line) for line in lines.split("\n") if line]
    return [word["label"] for line in told for word in line.get("human", [])]


def test_F53_an_export_shows_one_moment_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    from triage.export import records

    monkeypatch.setattr(records, "AT_ONCE", 1)  # a statement for each query: the change comes between two of them
    run, reviewer = make_run(), make_member(make_project(), Role.REVIEWER)
    queries = [make_query(run) for _ in range(4)]
    for query in queries:
        say(query, "still_wrong", reviewer=reviewer, imported_reviewer="", stage="first")
    export = pieces(run, "run", "jsonl")
    began = next(export) + next(export)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("UPDATE labeling_verdict SET label = 'retrieval_miss'")
        whole = began + "".join(export)
    finally:
        other.close()
    assert labels_in(whole) == ["still_wrong"] * 4
    assert labels_in("".join(pieces(run, "run", "jsonl"))) == ["retrieval_miss"] * 4


def test_F53_a_download_that_is_given_up_lets_go_of_the_database() -> None:
    run = make_run()
    make_query(run)
    export = pieces(run, "run", "jsonl")
    next(export)
    assert connection.in_atomic_block
    export.close()  # type: ignore[attr-defined]
    assert not connection.in_atomic_block


def _export_onto(path: Path, run: Run) -> None:
    with path.open("w") as out:
        call_command("export", run.key, what="run", stdout=out)


def test_F13_an_export_onto_a_full_disk_fails_aloud() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    run = make_run()
    make_query(run)
    with pytest.raises(OSError, match="No space left"):
        _export_onto(full, run)
    said = StringIO()
    call_command("export", run.key, what="run", stdout=said)
    assert said.getvalue()
