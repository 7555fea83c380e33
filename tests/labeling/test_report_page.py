"""The report page, its files, the list, and who may see them."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.labeling.rows import draw, make_classified, queries_of, say
from triage.models import Project, Role, Run

pytestmark = pytest.mark.django_db


def viewer_of(project: Project) -> Client:
    client = Client()
    user = make_member(project, Role.VIEWER)
    assert client.login(username=user.username, password=PASSWORD)
    return client


def reviewed_run(project: Project) -> Run:
    run = make_classified(project, retrieval_miss=6, still_wrong=14, correct=20)
    queries = queries_of(run, "still_wrong")
    draw(run, {"retrieval_miss": 6, "still_wrong": 14}, {query.pk: "still_wrong" for query in queries[:7]})
    for query in queries[:7]:
        say(query, "still_wrong", "superseded_document")
    return run


def test_it_works() -> None:
    project = make_project()
    run = reviewed_run(project)
    page = viewer_of(project).get(f"/runs/{run.key}/report/")
    text = page.content.decode()
    assert page.status_code == 200
    assert "20 of 40 queries fail" in text
    assert "superseded_document" in text
    assert "not_estimated" in text
    assert "None" not in text
    assert "nan" not in text.lower().replace("finance", "")


def test_a_stranger_sees_nothing_and_anonymous_is_asked_to_log_in() -> None:
    run = reviewed_run(make_project())
    stranger = viewer_of(make_project())
    for path in (f"/runs/{run.key}/report/", f"/runs/{run.key}/report.md", f"/p/{run.project.slug}/reports/"):
        assert stranger.get(path).status_code == 404
        assert Client().get(path).status_code == 302


def test_a_foreign_run_cannot_be_compared_with() -> None:
    project = make_project()
    run, foreign = reviewed_run(project), reviewed_run(make_project())
    client = viewer_of(project)
    assert client.get(f"/runs/{run.key}/report/?against={foreign.key}").status_code == 404
    assert client.get(f"/runs/{run.key}/report.json?against={foreign.key}").status_code == 404


@pytest.mark.parametrize(
    ("to", "content_type"),
    [
        ("md", "text/markdown; charset=utf-8"),
        ("csv", "text/csv; charset=utf-8"),
        ("json", "application/json"),
        ("html", "text/html; charset=utf-8"),
    ],
)
def test_each_format_is_a_download_that_is_never_shown_in_place(to: str, content_type: str) -> None:
    project = make_project()
    run = reviewed_run(project)
    Run.objects.filter(pk=run.pk).update(release='<script>alert(1)</script>";x="')
    answer = viewer_of(project).get(f"/runs/{run.key}/report.{to}")
    assert answer.headers["Content-Type"] == content_type
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="release-note-script-alert-1-script-x-{run.key}.{to}"'
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    if to == "json":
        assert json.loads(answer.content)["run"] == run.key
    if to == "html":
        assert b"<script" not in answer.content


def test_an_unknown_format_does_not_exist() -> None:
    project = make_project()
    run = reviewed_run(project)
    assert viewer_of(project).get(f"/runs/{run.key}/report.exe").status_code == 404


def test_a_run_without_classes_leads_to_its_page() -> None:
    project = make_project()
    run = make_run(project)
    answer = viewer_of(project).get(f"/runs/{run.key}/report/")
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/runs/{run.key}/"


def test_the_page_names_what_it_is_compared_with() -> None:
    project = make_project()
    before, now = reviewed_run(project), reviewed_run(project)
    Run.objects.filter(pk=before.pk).update(release="2026.10")
    Run.objects.filter(pk=now.pk).update(release="2026.11")
    client = viewer_of(project)
    text = client.get(f"/runs/{now.key}/report/").content.decode()
    assert "Query by query since 2026.10" in text
    assert "not decided" in text
    alone = client.get(f"/runs/{before.key}/report/").content.decode()
    assert "no earlier release" in alone
    assert "since 2026.11" in client.get(f"/runs/{before.key}/report/?against={now.key}").content.decode()


def test_the_list_has_a_line_for_every_classified_run() -> None:
    project = make_project()
    run = reviewed_run(project)
    make_run(project, name="not yet")
    text = viewer_of(project).get(f"/p/{project.slug}/reports/").content.decode()
    assert f"/runs/{run.key}/report/" in text
    assert "not yet" not in text


def test_an_empty_list_says_what_to_do() -> None:
    project = make_project()
    assert "No release note yet" in viewer_of(project).get(f"/p/{project.slug}/reports/").content.decode()


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        project = make_project()
        run = make_classified(project, still_wrong=size, retrieval_miss=size, correct=size)
        client = viewer_of(project)
        client.get(f"/runs/{run.key}/report/")
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/runs/{run.key}/report/")
        return len(captured)

    assert statements(2) == statements(20)
