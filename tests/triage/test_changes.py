"""The journal as people read it: page, filter, pages by id, files, command."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.celery import app
from tests.factories import make_member, make_project
from triage import journal
from triage.core.acting import Actor, Via, acting, actor
from triage.journal import ENTRIES, TEXT_CHARS, plain
from triage.models import Change, Project, Role
from triage.pages.changes import PAGE_SIZE, in_words

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def owner(client: Client, project: Project) -> Client:
    client.force_login(make_member(project, Role.OWNER, "mira"))
    return client


def fill(project: Project, rows: int) -> None:
    for number in range(rows):
        journal.note("run.renamed", project, f"run-{number}", old={"name": "a"}, new={"name": f"=b{number}"})


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command("changes", *arguments, stdout=out)
    return out.getvalue()


def test_the_page_lists_the_newest_first_and_goes_on_by_id(owner: Client, project: Project) -> None:
    fill(project, PAGE_SIZE + 3)
    first = owner.get(f"/p/{project.slug}/changes/").content.decode()
    assert first.index(f"run-{PAGE_SIZE + 2}<") < first.index("run-3<")
    assert "run-2<" not in first
    oldest = Change.objects.get(key="run-3").pk
    assert f"older={oldest}" in first
    second = owner.get(f"/p/{project.slug}/changes/?older={oldest}").content.decode()
    assert "run-2<" in second
    assert "run-3<" not in second


def test_the_page_filters_by_what_who_and_when(owner: Client, project: Project) -> None:
    fill(project, 1)
    with acting(lambda: Actor(Via.API, "runs", None, "ben")):
        journal.note("session.made", project, "s1")
    page = f"/p/{project.slug}/changes/"
    for asked, shown, hidden in (
        ("action=run", "run-0<", "s1<"),
        ("action=session.made", "s1<", "run-0<"),
        ("who=ben", "s1<", "run-0<"),
        ("since=2020-01-01&who=ben", "s1<", "run-0<"),
    ):
        text = owner.get(f"{page}?{asked}").content.decode()
        assert shown in text
        assert hidden not in text
    assert "No change matches" in owner.get(f"{page}?until=2020-01-01").content.decode()
    assert owner.get(f"{page}?since=x&older=y&until=\0").status_code == 200


def test_changes_of_another_project_are_not_shown(owner: Client, project: Project) -> None:
    journal.note("session.made", make_project(), "foreign")
    assert "foreign" not in owner.get(f"/p/{project.slug}/changes/").content.decode()


def test_the_number_of_sql_queries_does_not_grow_with_the_rows(owner: Client, project: Project) -> None:
    counts = []
    for rows in (1, 20):
        fill(project, rows)
        with CaptureQueriesContext(connection) as captured:
            assert owner.get(f"/p/{project.slug}/changes/").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_SEC20_the_csv_runs_no_formula_and_json_lines_keep_the_text(owner: Client, project: Project) -> None:
    journal.note("run.renamed", project, "=1+1", old="-2", new="\tx")
    body = b"".join(owner.get(f"/p/{project.slug}/changes.csv?action=run").streaming_content)  # type: ignore[attr-defined]
    row = next(csv.DictReader(io.StringIO(body.decode())))
    assert (row["key"], row["old"]) == ("'=1+1", "'-2")
    lines = b"".join(owner.get(f"/p/{project.slug}/changes.jsonl?action=run").streaming_content)  # type: ignore[attr-defined]
    told = json.loads(lines.decode().splitlines()[0])
    assert (told["key"], told["old"], told["new"], told["via"]) == ("=1+1", "-2", "\tx", "command")


def test_the_command_prints_a_project_or_the_accounts(project: Project) -> None:
    fill(project, 2)
    journal.note("account.logged_in", None, "mira")
    told = [json.loads(line) for line in said("--project", project.slug).splitlines()]
    assert [one["key"] for one in told] == ["run-0", "run-1"]
    assert json.loads(said("--accounts"))["key"] == "mira"
    assert said("--project", project.slug, "--action", "session") == ""
    with pytest.raises(CommandError, match="There is no project 'nowhere'"):
        said("--project", "nowhere")


def test_long_values_are_cut_and_large_ones_counted() -> None:
    assert plain("x" * 9_999) == "x" * TEXT_CHARS
    assert plain(list(range(ENTRIES + 1))) == {"entries": ENTRIES + 1}
    assert plain({str(number): 1 for number in range(ENTRIES + 1)}) == {"entries": ENTRIES + 1}
    assert plain({"a": [True, None, 1.5, "\0"]}) == {"a": [True, None, 1.5, "\ufffd"]}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2026-12-01T13:05:09.123+01:00", "1 Dec 2026, 12:05 UTC"),
        ("2026-12-01T12:05Z", "1 Dec 2026, 12:05 UTC"),
        ("2026-12-01T12:05", "2026-12-01T12:05"),
        ("2026-13-01T12:05Z", "2026-13-01T12:05Z"),
        ("0001-01-01T00:00+14:00", "0001-01-01T00:00+14:00"),
        ("2026-12-01T12:05Z\n", "2026-12-01T12:05Z\n"),
        ("", "(empty)"),
        ([], "(nothing)"),
        ({}, "(nothing)"),
        (None, "not set"),
        (True, "yes"),
        (0.25, "0.25"),
        (["a", 1, False], "a, 1, no"),
        ({"judge_order": ["x", "y"], "k": 5}, "judge order x, y, k 5"),
    ],
)
def test_values_are_words_on_the_page_not_json(value: object, words: str) -> None:
    assert in_words(value) == words


def test_a_change_that_changes_nothing_leaves_no_row(project: Project) -> None:
    journal.changed("run.renamed", project, "k", {"name": "a", "x": 1}, {"name": "a"})
    assert not Change.objects.exists()


def test_who_acted_before_a_task_acts_again_after_it() -> None:
    seen = []

    @app.task(name="tests.notes", shared=False)  # type: ignore[untyped-decorator]
    def notes() -> None:
        seen.append(actor().via)

    notes.apply()
    assert (seen, actor().via) == ([Via.WORKER], Via.COMMAND)
