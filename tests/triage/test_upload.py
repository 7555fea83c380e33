"""The import pages: files taken in, watched, cancelled, retried; what was left out is shown and handed out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from tests.factories import make_member, make_project
from triage import intake
from triage.ingest import ingest
from triage.models import Project, Role, Run, Upload, WorkerHeartbeat
from triage.pages.row_errors import errors_csv
from triage.pages.upload_steps import size_words, steps_of
from triage.pages.worker import worker_panel
from triage.tasks import run_to_end

pytestmark = pytest.mark.django_db

QUERY = {"id": "q1", "question": "How long?", "answer": "14 days.", "retrieved": [], "correct": False}


@pytest.fixture(autouse=True)
def _uploads(settings: Settings, tmp_path: Path) -> None:
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect what is handed to the queue."""
    sent: list[int] = []
    monkeypatch.setattr("triage.views.uploads.ingest_soon", lambda upload: sent.append(upload) or True)
    return sent


@pytest.fixture
def project() -> Project:
    return make_project(slug="desk")


@pytest.fixture
def lead(client: Client, project: Project) -> Client:
    client.force_login(make_member(project, Role.LEAD))
    return client


def text(*objects: object) -> bytes:
    return "".join(f"{item if isinstance(item, str) else json.dumps(item)}\n" for item in objects).encode()


def file(name: str = "run.jsonl", data: bytes = b"") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data or text({**QUERY, "answer": name}))


def send(client: Client, *files: SimpleUploadedFile, **more: Any) -> Any:
    return client.post("/p/desk/import/", {"run_files": list(files), **more})


def imported(project: Project, data: bytes, name: str = "run.jsonl") -> Upload:
    return ingest(intake.store(project, None, name, [data]).pk)


def page(client: Client, upload: Upload) -> str:
    return plain(client.get(reverse("upload", args=[upload.key])))


def plain(response: Any) -> str:
    """Return a page with ordinary spaces."""
    return response.content.decode().replace("\N{NO-BREAK SPACE}", " ")


# --- taking files in -------------------------------------------------------------------------------------------------


def test_a_file_is_stored_waits_for_a_worker_and_its_page_is_shown(lead: Client, queued: list[int]) -> None:
    response = send(lead, file())
    upload = Upload.objects.get()
    assert response.url == f"/uploads/{upload.key}/"
    assert (upload.state, queued) == (Upload.State.WAITING, [upload.pk])
    assert "Waits for a worker" in page(lead, upload)


def test_P34_several_files_in_one_go_are_all_taken_and_listed(lead: Client, queued: list[int]) -> None:
    response = send(lead, file("a.jsonl"), file("b.jsonl"), file("c.jsonl"))
    assert response.url == "/p/desk/import/"
    assert len(queued) == 3
    shown = lead.get(response.url).content.decode()
    assert all(name in shown for name in ("a.jsonl", "b.jsonl", "c.jsonl"))


def test_DJ5_SEC05_every_file_of_several_is_checked_not_only_the_last(
    lead: Client, queued: list[int], settings: Settings
) -> None:
    settings.UPLOAD_MAX_BYTES = 1_000
    response = send(lead, file("big.jsonl", b"x" * 2_000), file("small.jsonl"))
    assert [upload.file_name for upload in Upload.objects.all()] == ["small.jsonl"]
    assert len(queued) == 1
    assert response.status_code == 302


def test_a_file_that_is_too_large_is_named_and_not_kept(lead: Client, queued: list[int], settings: Settings) -> None:
    settings.UPLOAD_MAX_BYTES = 1_000
    response = send(lead, file("big.jsonl", b"x" * 2_000))
    assert response.status_code == 422
    assert "big.jsonl is larger than the limit" in response.content.decode()
    assert (Upload.objects.count(), queued) == (0, [])
    assert not list(Path(settings.UPLOAD_DIR).glob("*"))


def test_no_file_is_asked_for(lead: Client) -> None:
    response = lead.post("/p/desk/import/", {})
    assert response.status_code == 422
    assert "Choose at least one file" in response.content.decode()


def test_P32_the_limits_are_printed_before_the_upload(lead: Client) -> None:
    shown = lead.get("/p/desk/import/").content.decode()
    for words in ("2 GB a file", "16 MB a line", "1,000 chunks a query", "1,000 claims an answer"):
        assert words in shown


def test_htmx_is_told_where_to_go(lead: Client, queued: list[int]) -> None:
    response = lead.post("/p/desk/import/", {"run_files": file()}, headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == f"/uploads/{Upload.objects.get().key}/"


def test_F07_without_a_queue_the_file_is_kept_and_that_is_said(lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.views.uploads.ingest_soon", lambda _upload: False)
    shown = lead.get(send(lead, file()).url).content.decode()
    assert "The queue does not answer" in shown
    assert Upload.objects.get().state == Upload.State.WAITING


def test_SEC05_a_name_is_shown_and_never_a_path(lead: Client, queued: list[int], settings: Settings) -> None:
    send(lead, file('<img src=x onerror=alert(1)>"\u202e.jsonl'))
    shown = page(lead, Upload.objects.get())
    assert "<img src=x" not in shown
    assert "\u202e" not in shown
    assert [path.name for path in Path(settings.UPLOAD_DIR).iterdir()] == [Upload.objects.get().stored_as]


def test_SEC23_extra_fields_are_ignored(lead: Client, queued: list[int]) -> None:
    send(lead, file(), state="done", run="1", created_by="1", project="2")
    upload = Upload.objects.get()
    assert (upload.state, upload.run, upload.project.slug) == (Upload.State.WAITING, None, "desk")


def test_an_unknown_format_is_refused(lead: Client) -> None:
    assert send(lead, file(), file_format="no_such_format").status_code == 422


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "status"), [(Role.VIEWER, 403), (Role.REVIEWER, 403), (Role.OWNER, 302)])
def test_leads_import_and_others_look(
    client: Client, project: Project, queued: list[int], role: Role, status: int
) -> None:
    client.force_login(make_member(project, role))
    assert client.get("/p/desk/import/").status_code == 200
    assert send(client, file()).status_code == status
    assert Upload.objects.count() == (status == 302)


def test_others_see_no_form(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.VIEWER))
    assert "Leads import files" in client.get("/p/desk/import/").content.decode()


@pytest.mark.parametrize("name", ["upload", "upload_progress"])
def test_SEC07_a_foreign_upload_does_not_exist(lead: Client, name: str) -> None:
    foreign = imported(make_project(), text(QUERY))
    assert lead.get(reverse(name, args=[foreign.key])).status_code == 404
    assert lead.get(reverse("upload_errors", args=[foreign.key, "csv"])).status_code == 404
    assert lead.post(reverse("upload_steer", args=[foreign.key, "cancel"])).status_code == 404


def test_without_a_login_nothing_is_shown(client: Client, project: Project) -> None:
    assert client.get("/p/desk/import/").url.startswith("/login/")


# --- progress --------------------------------------------------------------------------------------------------------


def test_a_file_that_is_read_shows_lines_rate_and_time_left(lead: Client, project: Project) -> None:
    upload = intake.store(project, None, "a.jsonl", [text(QUERY) * 1000])
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE triage_upload SET state = 'reading', lines_read = 5000, bytes_read = size_bytes / 4, "
            "started_at = statement_timestamp() - interval '10 seconds', heartbeat_at = statement_timestamp()"
        )
    shown = plain(lead.get(reverse("upload_progress", args=[upload.key])))
    assert "5,000 lines, 500 a second" in shown
    assert "about 30 s left" in shown
    assert 'hx-trigger="every 1s"' in shown
    assert "HX-Refresh" not in lead.get(reverse("upload_progress", args=[upload.key])).headers


def test_the_page_is_loaded_anew_once_nothing_moves(lead: Client, project: Project) -> None:
    upload = imported(project, text(QUERY))
    assert "HX-Refresh" not in lead.get(reverse("upload_progress", args=[upload.key])).headers
    run_to_end(upload.run_id or 0)
    response = lead.get(reverse("upload_progress", args=[upload.key]))
    assert response.headers["HX-Refresh"] == "true"
    assert "hx-trigger" not in response.content.decode()


def test_steps_go_on_with_the_run(project: Project) -> None:
    upload = imported(project, text(QUERY))
    names = [(step.name, step.badge.words) for step in steps_of(upload)]
    assert names == [
        ("Uploaded", "done"),
        ("Read", "done"),
        ("Stored", "done"),
        ("Scored", "under way"),
        ("Classified", "to come"),
    ]
    run_to_end(upload.run_id or 0)
    steps = steps_of(Upload.objects.select_related("run").get())
    assert {step.badge.words for step in steps} == {"done"}
    assert steps[2].words == "1 queries, 0 chunks"


def test_a_file_that_was_there_already_has_no_work_left(project: Project) -> None:
    imported(project, text(QUERY))
    again = imported(project, text(QUERY))
    assert [step.words for step in steps_of(again)][1:] == [
        "the same bytes as before",
        "nothing new: there is still one run",
    ]


@pytest.mark.parametrize("state", [Upload.State.FAILED, Upload.State.CANCELLED])
def test_a_file_that_was_refused_or_cancelled_promises_no_further_step(project: Project, state: str) -> None:
    upload = intake.store(project, None, "a.jsonl", [text(QUERY)])
    upload.state = state
    assert [step.name for step in steps_of(upload)] == ["Uploaded", "Read", "Stored"]
    assert steps_of(upload)[2].words == "nothing was kept"


def test_an_import_is_cancelled_by_a_lead(lead: Client, project: Project) -> None:
    upload = intake.store(project, None, "a.jsonl", [text(QUERY)])
    lead.post(reverse("upload_steer", args=[upload.key, "cancel"]))
    assert Upload.objects.get().state == Upload.State.CANCELLED
    shown = lead.post(reverse("upload_steer", args=[upload.key, "cancel"]), follow=True).content.decode()
    assert "has moved on meanwhile" in shown


def test_a_failed_import_is_retried_where_its_file_is_still_there(
    lead: Client, project: Project, queued: list[int]
) -> None:
    upload = intake.store(project, None, "a.jsonl", [text(QUERY)])
    Upload.objects.update(state=Upload.State.FAILED, reason="No space left.")
    assert "Retry" in page(lead, upload)
    lead.post(reverse("upload_steer", args=[upload.key, "retry"]))
    assert (Upload.objects.get().state, queued) == (Upload.State.WAITING, [upload.pk])


@pytest.mark.parametrize(
    ("seconds", "word", "words"),
    [(2, "Alive", "ago, scoring run 7."), (60, "Late", "The worker is late"), (400, "Away", "make worker")],
)
def test_the_light_says_whether_a_worker_is_there(lead: Client, seconds: int, word: str, words: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO triage_workerheartbeat (name, seen_at, doing) "
            "VALUES ('w1', statement_timestamp() - %s * interval '1 second', 'scoring run 7')",
            [seconds],
        )
    assert worker_panel().badge.words == word
    assert words in lead.get("/p/desk/import/").content.decode()


def test_no_worker_at_all_is_said_with_the_way_out(lead: Client) -> None:
    assert not WorkerHeartbeat.objects.exists()
    shown = lead.get("/p/desk/import/").content.decode()
    assert "Worker away" in shown
    assert "--wait" in shown


# --- what came of it -------------------------------------------------------------------------------------------------


def test_the_page_of_a_finished_file_shows_counts_errors_and_warnings(lead: Client, project: Project) -> None:
    lines = [{**QUERY, "id": number, "session": 1} for number in range(30)]
    upload = imported(project, text(*lines, {"id": "x", "question": "?", "gold": "a"}, '{"id": "y"'))
    shown = page(lead, upload)
    assert "Imported, 2 lines left out" in shown or "Scoring" in shown
    assert "2 of 32 (6.2 %, limit 5 %)" in shown
    for words in ("a list of chunk ids, or null", "Write [&quot;a&quot;].", "unknown_field", "session", "no_gold"):
        assert words in shown


def test_a_refused_file_shows_why_and_its_first_errors(lead: Client, project: Project) -> None:
    upload = imported(project, text(*['{"id": 1}'] * 40))
    shown = page(lead, upload)
    assert "Not imported" in shown
    assert "no line that could be read as a query" in shown or "faulty lines" in shown
    assert shown.count("field missing") == 20


def test_errors_are_handed_out_as_csv_and_json_and_never_run_as_formulas(lead: Client, project: Project) -> None:
    lines = [{**QUERY, "id": number} for number in range(30)]
    upload = imported(project, text(*lines, {"id": "x", "question": "?", "gold": '=HYPERLINK("x")'}))
    table = lead.get(reverse("upload_errors", args=[upload.key, "csv"]))
    told = lead.get(reverse("upload_errors", args=[upload.key, "json"]))
    assert table.headers["Content-Disposition"].startswith("attachment;")
    assert json.loads(told.content) == upload.errors
    rows = list(csv.reader(io.StringIO(table.content.decode())))
    assert rows[0] == ["line", "field", "found", "expected", "remedy"]
    assert rows[1][:2] == ["31", "gold"]


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@a", "\t=1", " '=1", "＝1"])
def test_SEC20_a_row_error_cannot_start_a_formula(start: str) -> None:
    error = {"line": 7, "field": start, "found": start, "expected": start, "remedy": start}
    row = next(iter(list(csv.reader(io.StringIO(errors_csv([error]))))[1:]))
    assert row == ["7", *[f"'{start}"] * 4]


def test_SEC04_SEC18_imported_text_is_text_on_the_pages(lead: Client, project: Project) -> None:
    payload = "<script>alert(1)</script>{{7*7}}"
    lines = [{**QUERY, "id": number, payload: 1} for number in range(30)]
    upload = imported(project, text({"kind": "run", "name": payload}, *lines, {"id": payload, "question": 1}))
    shown = page(lead, upload) + lead.get("/p/desk/import/").content.decode()
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{7*7}}" in shown


def test_the_demo_is_three_files_on_their_way(lead: Client, queued: list[int]) -> None:
    response = lead.post("/p/desk/demo/")
    assert response.url == "/p/desk/import/"
    assert len(queued) == Upload.objects.count() == 3
    for upload in Upload.objects.all():
        assert ingest(upload.pk).error_count == 0
    assert Run.objects.count() == 3


def test_the_demo_needs_a_post(lead: Client) -> None:
    assert lead.get("/p/desk/demo/").status_code == 405


@pytest.mark.parametrize("path", ["/p/desk/import/", "upload"])
def test_the_number_of_queries_of_a_page_does_not_grow_with_the_rows(lead: Client, project: Project, path: str) -> None:
    counts = []
    for size in (3, 40):
        lines = [{**QUERY, "id": f"{size} {number}"} for number in range(size)]
        for number in range(size // 3):
            upload = imported(project, text(*lines[number:], f'{{"id": {number}'), f"{number}.jsonl")
        Run.objects.update(state=Run.State.DONE)
        url = path if path.startswith("/") else reverse("upload", args=[upload.key])
        with CaptureQueriesContext(connection) as queries:
            assert lead.get(url).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] < 25


def test_older_files_are_a_page_away(lead: Client, project: Project) -> None:
    for number in range(60):
        intake.cancel(intake.store(project, None, f"file {number:02}.jsonl", [b"{}"]))
    first = lead.get("/p/desk/import/").content.decode()
    assert "file 59.jsonl" in first
    assert "file 05.jsonl" not in first
    older = first.split('href="?older=')[1].split('"')[0]
    assert "file 05.jsonl" in lead.get(f"/p/desk/import/?older={older}").content.decode()


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1023, "1,023 bytes"), (1024, "1 kB"), (1_500_000, "1.43 MB"), (2 * 1024**3, "2 GB")],
)
def test_sizes_are_told_in_the_unit_a_reader_would_choose(size: int, words: str) -> None:
    assert size_words(size) == words
