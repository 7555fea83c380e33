"""The first page of a project: newest release, what changed, what is due, who is reading, and the way in."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.dashboard import dashboard_page
from labeling.models import Lease, ReviewSession
from labeling.worklist import default_session, take
from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.labeling.rows import draw, make_classified, say
from triage.models import Project, Role, Run

pytestmark = pytest.mark.django_db


def viewer_of(project: Project) -> Client:
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    return client


def page_of(project: Project) -> str:
    return viewer_of(project).get(f"/p/{project.slug}/").content.decode()


def test_a_new_project_is_led_to_an_import_or_the_demo() -> None:
    project = make_project()
    words = page_of(project)
    assert "No runs yet" in words
    assert f'action="/p/{project.slug}/demo/"' in words
    assert f'href="/p/{project.slug}/import/"' in words


def test_a_run_under_way_is_shown_instead_of_the_way_in() -> None:
    project = make_project()
    run = make_run(project, name="on its way")
    words = page_of(project)
    assert f'href="/runs/{run.key}/"' in words
    assert "Scoring" in words
    assert "No runs yet" not in words


def test_log_in_leads_here() -> None:
    project = make_project()
    assert viewer_of(project).get("/").headers["Location"] == f"/p/{project.slug}/"


def test_the_newest_release_shows_its_classes_and_what_moved() -> None:
    project = make_project()
    before = make_classified(project, retrieval_miss=3, still_wrong=2, correct=5)
    now = make_classified(project, retrieval_miss=1, still_wrong=2, correct=7)
    Run.objects.filter(pk=before.pk).update(release="2026.10")
    Run.objects.filter(pk=now.pk).update(release="2026.11")
    newest = dashboard_page(project, timezone.now()).newest
    assert newest is not None
    assert (newest.name, newest.stand.failing, newest.stand.queries) == ("2026.11", 3, 10)
    assert {line.label: line.automatic for line in newest.classes}["retrieval_miss"] == 1
    assert newest.before is not None
    assert newest.before.name == "2026.10"
    assert newest.before.change is not None
    assert newest.before.change.difference == pytest.approx(0.2)
    moved = {line.label: (line.left, line.came) for line in newest.classes}
    assert moved["retrieval_miss"] == (2, 0)
    assert moved["still_wrong"] == (2, 2)
    assert "2026.10" in page_of(project)


def test_classes_made_under_another_policy_are_not_set_beside_each_other() -> None:
    project = make_project()
    before, _now = (
        make_classified(project, still_wrong=2, correct=5),
        make_classified(project, still_wrong=1, correct=6),
    )
    Run.objects.filter(pk=before.pk).update(release="old", policy_fingerprint="00000000")
    newest = dashboard_page(project, timezone.now()).newest
    assert newest is not None
    assert all(line.left is None for line in newest.classes)
    assert "not comparable" in page_of(project)


def test_a_read_draw_corrects_the_counts() -> None:
    project = make_project()
    run = make_classified(project, still_wrong=10)
    queries = list(run.queries.order_by("position"))
    draw(run, {"still_wrong": 10}, {query.pk: "still_wrong" for query in queries[:6]})
    for query in queries[:6]:
        say(query, "retrieval_miss")
    newest = dashboard_page(project, timezone.now()).newest
    assert newest is not None
    assert newest.is_corrected
    line = next(line for line in newest.classes if line.label == "retrieval_miss")
    assert (line.automatic, line.corrected) == (0, 10.0)
    assert line.low is not None
    assert line.low >= 6
    assert "95 % interval" in page_of(project)


def test_open_sessions_show_progress_and_people() -> None:
    project = make_project()
    run = make_classified(project, still_wrong=4)
    ann, ben = make_member(project, Role.REVIEWER, "ann"), make_member(project, Role.REVIEWER, "ben")
    session = default_session(run)
    take(session, ann.pk)
    Lease.objects.filter(session=session, state="free").update(state="done", reviewer=ben)
    closed = ReviewSession.objects.create(run=run, name="closed one", drawn="random", closed_at=timezone.now())
    (reading,) = dashboard_page(project, timezone.now()).reading
    assert (reading.line.given, reading.line.wanted) == (3, 4)
    assert [(one.name, one.given, one.is_at_it) for one in reading.readers] == [("ben", 3, False), ("ann", 0, True)]
    words = page_of(project)
    assert "reading now" in words
    assert closed.name not in words


def test_what_is_due_is_cut_and_counted() -> None:
    project = make_project()
    run = make_classified(project, still_wrong=1)
    yesterday = timezone.now() - timedelta(days=1)
    for number in range(7):
        ReviewSession.objects.create(run=run, name=f"late {number}", drawn="random", due_at=yesterday)
    page = dashboard_page(project, timezone.now())
    assert len(page.due) == 5
    assert page.due_left >= 2
    assert f"and {page.due_left} more" in page_of(project)


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        project = make_project()
        for number in range(2 + size // 5):
            run = make_classified(project, still_wrong=size, correct=size)
            Run.objects.filter(pk=run.pk).update(release=f"r{number}")
            default_session(run)
        client = viewer_of(project)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/p/{project.slug}/")
        return len(captured)

    assert statements(2) == statements(20)
