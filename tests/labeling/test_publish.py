"""Published release notes: frozen bytes under a link of their own."""

from __future__ import annotations

import hashlib
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.core.note_export import to_json
from labeling.models import NoteSnapshot
from labeling.report import WithdrawnError, publish, render, report, withdraw
from labeling.report.publish import note_of
from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.labeling.rows import draw, make_classified, queries_of, say
from triage.models import Project, Role, Run

pytestmark = pytest.mark.django_db


def client_of(project: Project, role: Role = Role.LEAD) -> Client:
    client = Client()
    assert client.login(username=make_member(project, role).username, password=PASSWORD)
    return client


def reviewed_run(project: Project) -> Run:
    run = make_classified(project, retrieval_miss=6, still_wrong=14, correct=20)
    queries = queries_of(run, "still_wrong")
    draw(run, {"retrieval_miss": 6, "still_wrong": 14}, {query.pk: "still_wrong" for query in queries[:7]})
    for query in queries[:7]:
        say(query, "still_wrong", "superseded_document")
    return run


def test_the_same_state_is_the_same_snapshot_with_the_same_bytes() -> None:
    run = reviewed_run(make_project())
    first, again = publish(run, None), publish(run, None)
    assert first == again
    for to in ("md", "csv", "json", "html"):
        assert getattr(first, to) == render(report(run), to).text
    assert first.content_hash == hashlib.sha256(first.json.encode()).hexdigest()


def test_later_reviews_move_the_live_note_and_nothing_of_the_published_one() -> None:
    project = make_project()
    run = reviewed_run(project)
    kept = publish(run, make_member(project))
    client = client_of(project)
    address = f"/snapshots/{kept.key}/"
    before = {to: client.get(f"{address}note.{to}").content for to in ("md", "csv", "json", "html")}
    assert "Newer reviews exist" not in client.get(address).content.decode()
    for query in queries_of(run, "retrieval_miss"):
        say(query, "not_a_failure")
    assert {to: client.get(f"{address}note.{to}").content for to in before} == before
    assert client.get(f"/runs/{run.key}/report.json").content != before["json"]
    text = client.get(address).content.decode()
    assert "Newer reviews exist." in text
    assert "6 queries were settled since this was published" in text
    assert f"/runs/{run.key}/report/" in text
    assert publish(run, None) != kept


def test_the_page_draws_the_note_as_it_was_even_after_the_run_was_classified_anew() -> None:
    project = make_project()
    run = reviewed_run(project)
    kept = publish(run, None)
    Run.objects.filter(pk=run.pk).update(policy_fingerprint="0ther000", gold_version=4)
    run.queries.filter(correct=True).update(correct=False)
    text = client_of(project, Role.VIEWER).get(f"/snapshots/{kept.key}/").content.decode()
    assert "20 of 40 queries fail" in text
    assert "policy 0ther000 instead of 3f9c21ab and gold v4 instead of v1" in text
    assert "Withdraw this note" not in text


def test_the_note_comes_back_from_its_data_exactly() -> None:
    run = reviewed_run(make_project())
    kept = NoteSnapshot.objects.get(pk=publish(run, None).pk)
    note = note_of(kept)
    assert note == report(run)
    assert note is not None
    assert to_json(note) == kept.json


def test_a_note_too_old_to_be_drawn_still_has_its_files() -> None:
    project = make_project()
    kept = publish(reviewed_run(project), None)
    old = NoteSnapshot.objects.create(
        run=kept.run, release="old", note='{"title": "of another age"}', content_hash="0" * 64, json="{}"
    )
    text = client_of(project).get(f"/snapshots/{old.key}/").content.decode()
    assert "can no longer be drawn" in text
    assert "This note was damaged." in text
    assert client_of(project).get(f"/snapshots/{old.key}/note.json").status_code == 302


@pytest.mark.parametrize("column", ["json", "md", "html", "csv", "note", "release", "content_hash", "key"])
def test_the_database_refuses_to_edit_a_published_note(column: str) -> None:
    kept = publish(reviewed_run(make_project()), None)
    with pytest.raises(IntegrityError, match="never edited"), transaction.atomic():
        NoteSnapshot.objects.filter(pk=kept.pk).update(**{column: "x"})


def test_a_withdrawn_note_stays_marked_with_its_reason() -> None:
    project = make_project()
    run = reviewed_run(project)
    kept, client = publish(run, None), client_of(project)
    address = f"/snapshots/{kept.key}/withdraw/"
    assert client.post(address, {"reason": " "}).status_code == 422
    assert client.post(address, {"reason": "The <b>wrong</b> run"}).headers["Location"] == f"/snapshots/{kept.key}/"
    text = client.get(f"/snapshots/{kept.key}/").content.decode()
    assert "The &lt;b&gt;wrong&lt;/b&gt; run" in text
    assert "Withdrawn" in text
    assert client.get(f"/snapshots/{kept.key}/note.json").content.decode() == kept.json
    assert "withdrawn" in client.get(f"/p/{project.slug}/reports/").content.decode()
    with pytest.raises(WithdrawnError):
        withdraw(kept, make_member(project), "Again")
    assert NoteSnapshot.objects.get().withdrawn_because == "The <b>wrong</b> run"


def test_a_lead_publishes_from_the_page_and_others_do_not_see_the_button() -> None:
    project = make_project()
    run, other = reviewed_run(project), reviewed_run(project)
    client = client_of(project)
    assert "Publish</button>" in client.get(f"/runs/{run.key}/report/").content.decode()
    answer = client.post(f"/runs/{run.key}/publish/", {"against": other.key})
    kept = NoteSnapshot.objects.get()
    assert answer.headers["Location"] == f"/snapshots/{kept.key}/"
    assert json.loads(kept.json)["previous"]["run"] == other.key
    viewer = client_of(project, Role.VIEWER)
    page = viewer.get(f"/runs/{run.key}/report/").content.decode()
    assert "Publish</button>" not in page
    assert f"/snapshots/{kept.key}/" in page
    assert viewer.post(f"/runs/{run.key}/publish/").status_code == 403
    assert client.post(f"/runs/{make_run(project).key}/publish/").status_code == 302
    assert NoteSnapshot.objects.count() == 1


def test_the_list_says_which_notes_have_newer_reviews() -> None:
    project = make_project()
    run = reviewed_run(project)
    publish(run, None)
    client = client_of(project)
    assert "newer reviews exist" not in client.get(f"/p/{project.slug}/reports/").content.decode()
    say(queries_of(run, "retrieval_miss")[0], "retrieval_miss")
    assert "newer reviews exist" in client.get(f"/p/{project.slug}/reports/").content.decode()


def test_a_published_note_goes_with_its_run() -> None:
    run = reviewed_run(make_project())
    publish(run, None)
    run.delete()
    assert not NoteSnapshot.objects.exists()


def test_the_command_publishes_and_prints_the_frozen_file() -> None:
    run = reviewed_run(make_project())
    out, err = StringIO(), StringIO()
    call_command("report", run.key, format="csv", publish=True, stdout=out, stderr=err)
    kept = NoteSnapshot.objects.get()
    assert out.getvalue() == kept.csv
    assert f"/snapshots/{kept.key}/" in err.getvalue()
    assert kept.content_hash in err.getvalue()


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        project = make_project()
        kept = publish(make_classified(project, still_wrong=size, retrieval_miss=size, correct=size), None)
        client = client_of(project)
        client.get(f"/snapshots/{kept.key}/")
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/snapshots/{kept.key}/")
        return len(captured)

    assert statements(2) == statements(20)
