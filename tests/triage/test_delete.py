"""A deleted run is gone for everybody at once; a worker removes every row, file and message of it, piece by piece."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery import current_app
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from labeling.challenge import raise_challenge
from labeling.models import Comment
from labeling.worklist import default_session
from tests.factories import digest, make_member, make_project, make_run
from tests.labeling.rows import say
from tests.labeling.screens import file_case, make_case
from triage import housekeeping
from triage.models import Change, Chunk, JudgeTrial, Project, Query, Role, Run, Upload

pytestmark = pytest.mark.django_db
MARK = "xylocarpous"


@pytest.fixture
def project() -> Project:
    return make_project()


def marked_run(project: Project, queries: int = 3) -> Run:
    """Return a run that says MARK wherever a file or a person can say something."""
    run = make_run(project, name=f"{MARK} run", state=Run.State.DONE, file_name=f"{MARK}.jsonl", meta={"by": MARK})
    reviewer = make_member(project, Role.REVIEWER)
    for number in range(queries):
        query = make_case(run, question=f"{MARK} {number}?", answer=f"The {MARK} is so. It holds.", reference=MARK)
        file_case(query)
        query.claims.first().citations.create(position=0, cited=MARK)
        say(query, "still_wrong", note=MARK, imported_reviewer="", reviewer=reviewer)
        raise_challenge(query, reviewer, "wrong_reference", reference=MARK, note=MARK)
        Comment.objects.create(query=query, author=reviewer, text=MARK)
    Chunk.objects.filter(run_chunks__run=run).update(text=MARK, title=MARK)
    default_session(run, reviewer)
    Upload.objects.create(project=project, run=run, file_name=f"{MARK}.jsonl", size_bytes=1, sha256="0" * 64)
    JudgeTrial.objects.create(project=project, names=["lexical"], lines=[{"claim": MARK}])
    return run


def tables_that_say(word: str) -> dict[str, int]:
    """Return table -> rows in which the word stands anywhere."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT count(*) FROM "{table}" AS one WHERE one::text ILIKE %s', [f"%{word}%"])
            if rows := cursor.fetchone()[0]:
                found[table] = rows
    return found


def test_SEC24_a_deleted_run_leaves_nothing(project: Project, settings: Settings) -> None:
    run = marked_run(project)
    assert len(tables_that_say(MARK)) > 9
    assert housekeeping.delete(run)
    while housekeeping.erase(run.pk, 60):
        pass
    assert tables_that_say(MARK) == {}
    assert not Run.every.filter(pk=run.pk).exists()
    assert [change.action for change in Change.objects.filter(key=run.key)] == ["run.deleted"]
    with current_app.connection_for_write() as line:
        client = line.default_channel.client
        held = [client.lrange(key, 0, -1) for key in client.keys("*") if client.type(key) == b"list"]
    assert run.key.encode() not in str(held).encode()


def test_a_deleted_run_is_gone_for_everybody_before_its_rows_are(project: Project, client: Client) -> None:
    run = marked_run(project)
    session = run.sessions.get()
    client.force_login(make_member(project, Role.OWNER))
    answer = client.post(f"/runs/{run.key}/delete/", follow=True)
    page = answer.content.decode()
    assert "is being deleted" in page
    assert "3 queries are left" in page
    assert f"/runs/{run.key}/" not in page
    assert Query.objects.filter(run=run.pk).count() == 3
    for path in (
        f"/runs/{run.key}/",
        f"/runs/{run.key}/queries/1/",
        f"/sessions/{session.key}/",
        f"/runs/{run.key}/delete/",
    ):
        assert client.get(path).status_code == 404, path
    for path in ("runs", "sessions", "challenges", "reports", "import"):
        assert f"/runs/{run.key}/" not in client.get(f"/p/{project.slug}/{path}/").content.decode(), path


def test_a_remark_that_names_somebody_is_hidden_with_its_run(project: Project) -> None:
    run, ben = marked_run(project), make_member(project, Role.REVIEWER)
    Comment.objects.create(query=run.queries.all()[0], text="Look at this.").names.add(ben)
    assert Comment.objects.naming(ben.pk, project).count() == 1
    housekeeping.delete(run)
    assert Comment.objects.naming(ben.pk, project).count() == 0


def test_deleting_goes_piece_by_piece_and_twice_is_once(project: Project, settings: Settings) -> None:
    settings.ERASE_BATCH_QUERIES = 2
    run, other = marked_run(project, 5), make_run(project)
    shared = Chunk.objects.filter(run_chunks__run=run).first()
    assert shared is not None
    other.run_chunks.create(chunk=shared, key_hash=digest(shared.key))
    assert housekeeping.delete(run)
    assert not housekeeping.delete(run)
    left = []
    while housekeeping.erase(run.pk, 0):
        left.append(Query.objects.filter(run=run.pk).count())
    assert left[:3] == [3, 1, 0]
    assert not housekeeping.erase(run.pk, 0)
    assert list(Chunk.objects.all()) == [shared]
    assert list(Run.every.all()) == [other]


def test_the_same_file_may_come_again_while_the_old_run_goes(project: Project) -> None:
    run = marked_run(project)
    content = run.content_hash
    housekeeping.delete(run)
    assert make_run(project, content_hash=content).pk != run.pk


def test_old_runs_expire_only_if_the_operator_says_so(project: Project, settings: Settings) -> None:
    old, new = make_run(project), make_run(project)
    Run.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    assert housekeeping.expire() == []
    settings.KEEP_RUNS_DAYS = 30
    assert housekeeping.expire() == [old.pk]
    assert list(Run.objects.all()) == [new]
