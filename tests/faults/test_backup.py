"""F-23: a backup made while people work, restored elsewhere, is whole; an older release's backup still loads."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from pytest_django import Settings

from config.backup import BackupError, make, read_manifest
from config.backup.manifest import DATABASE, LEFT_OUT, MANIFEST
from labeling.models import ReviewSession
from labeling.review import Decision, Ticket, save
from labeling.worklist import default_session, take
from tests.conftest import ROOT
from tests.factories import make_member, make_project
from triage.ingest import ingest
from triage.intake import store
from triage.models import Role, Run, Upload
from triage.tasks.inprocess import run_to_end

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]
WRITERS = 4


class Elsewhere:
    """Another database of the test's cluster, with a var folder of its own, driven by commands as an operator would."""

    def __init__(self, var: Path) -> None:
        self.name = f"elsewhere_{uuid.uuid4().hex[:8]}"
        self.var = var
        self._ask(f"CREATE DATABASE {self.name}")

    def _ask(self, statement: str, dbname: str = "postgres") -> list[tuple[object, ...]]:
        host = connection.settings_dict["HOST"]
        with psycopg.connect(host=host, port=5432, user="postgres", dbname=dbname, autocommit=True) as line:
            cursor = line.execute(statement)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def ask(self, statement: str) -> list[tuple[object, ...]]:
        """Run one statement there."""
        return self._ask(statement, self.name)

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command there."""
        host = connection.settings_dict["HOST"]
        url = f"postgresql:///{self.name}?host={host}&port=5432&user=postgres"
        environment = {**os.environ, "DATABASE_URL": url, "RAG_TRIAGE_VAR": str(self.var)}
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def drop(self) -> None:
        """Leave nothing behind."""
        self._ask(f"DROP DATABASE {self.name} WITH (FORCE)")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    place = Elsewhere(tmp_path / "elsewhere")
    yield place
    place.drop()


@pytest.fixture
def run(settings: Settings, tmp_path: Path) -> Run:
    """The demo's newest release, scored and classified; a file that waits; uploads in a folder of the test's own."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    project = make_project(slug="help")
    make_member(project, Role.OWNER, "mira")
    content = (Path(settings.BASE_DIR) / "triage" / "demo" / "tallyrook_2026_11.jsonl").read_bytes()
    upload = ingest(store(project, None, "demo.jsonl", [content]).pk)
    assert upload.run_id is not None
    run = run_to_end(upload.run_id)
    store(project, None, "waiting.jsonl", [b'{"waits": true}\n'])
    return run


def review(session: ReviewSession, over: threading.Event, number: int) -> None:
    """Save verdict after verdict, as a reviewer would, until there is nothing left or the backup is made."""
    reviewer = make_member(session.run.project, Role.REVIEWER, f"writer{number}")
    while not over.is_set() and (seat := take(session, reviewer.pk)) is not None:
        ticket = Ticket(uuid.uuid4(), seat.token)
        save(session, reviewer, seat.position, Decision("still_wrong", "other", "Read."), ticket)
    connections.close_all()


def exports(run: Run, said: Callable[..., str]) -> dict[str, str]:
    """Return every file of the run."""
    project = ("--project", run.project.slug)
    kinds = [("export", run.key, *project, "--what", what) for what in ("run", "verdicts", "calibration", "gold-patch")]
    return {" ".join(command): said(*command) for command in [*kinds, ("report", run.key, *project)]}


def said_here(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_F23_a_backup_under_load_is_whole_and_a_quiet_one_gives_the_same_bytes(
    run: Run, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    session, over = default_session(run), threading.Event()
    writers = [threading.Thread(target=review, args=(session, over, number)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    busy = make(tmp_path / "busy.backup")
    over.set()
    for writer in writers:
        writer.join()
    told = elsewhere.manage("restore", str(tmp_path / "busy.backup"))
    assert told.returncode == 0, told.stderr + told.stdout
    assert "0 broken" in told.stdout
    assert elsewhere.ask("SELECT count(*) FROM labeling_verdict") == [(busy.rows["labeling_verdict"],)]

    quiet = make(tmp_path / "quiet.backup")
    assert quiet.rows["labeling_verdict"] >= busy.rows["labeling_verdict"]
    refused = elsewhere.manage("restore", str(tmp_path / "quiet.backup"))
    assert refused.returncode == 2
    assert "or say --replace" in refused.stderr
    again = elsewhere.manage("restore", str(tmp_path / "quiet.backup"), "--replace", "--yes")
    assert again.returncode == 0, again.stderr + again.stdout
    there = exports(run, lambda *arguments: elsewhere.manage(*arguments).stdout)
    assert exports(run, said_here) == there
    stored = Upload.objects.get(file_name="waiting.jsonl").stored_as
    assert (elsewhere.var / "uploads" / stored).read_bytes() == b'{"waits": true}\n'
    assert not list(Path(settings.UPLOAD_DIR).glob(".backup-*"))
    assert elsewhere.ask("SELECT count(*) FROM auth_user WHERE username = 'mira' AND password > ''") == [(1,)]


def test_F23_a_restore_is_refused_while_something_runs_there(run: Run, elsewhere: Elsewhere, tmp_path: Path) -> None:
    make(tmp_path / "a.backup")
    assert elsewhere.manage("migrate").returncode == 0
    host = connection.settings_dict["HOST"]
    with psycopg.connect(host=host, port=5432, user="postgres", dbname=elsewhere.name):
        told = elsewhere.manage("restore", str(tmp_path / "a.backup"))
    assert told.returncode == 2
    assert "stop web, workers and beat first" in told.stderr


def test_F23_a_backup_of_the_release_before_is_brought_up_to_date(elsewhere: Elsewhere, tmp_path: Path) -> None:
    for app, name in (("triage", "0005"), ("labeling", "0007"), ("auth", "0012"), ("sessions", "0001")):
        assert elsewhere.manage("migrate", app, name).returncode == 0
    elsewhere.ask(
        "INSERT INTO triage_project (slug, name, created_at, judge_order, targets, gates, owners)"
        " VALUES ('old', 'Old', now(), '[]', '{}', '{}', '{}')"
    )
    made = elsewhere.manage("backup", str(tmp_path / "old.backup"))
    assert made.returncode == 0, made.stderr
    assert read_manifest(tmp_path / "old.backup").migrations["triage"] == "0005_judge_trials"
    again = elsewhere.manage("restore", str(tmp_path / "old.backup"), "--replace", "--yes")
    assert again.returncode == 0, again.stderr + again.stdout
    assert elsewhere.ask("SELECT slug FROM triage_project") == [("old",)]
    assert elsewhere.manage("migrate", "--check").returncode == 0


def test_F23_every_table_is_in_the_backup_or_left_out_with_a_reason(run: Run, tmp_path: Path) -> None:
    manifest = make(tmp_path / "a.backup")
    ours = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert ours == set(manifest.rows) | set(LEFT_OUT)
    assert json.loads(json.dumps(manifest.left_out)) == LEFT_OUT
    assert (tmp_path / "a.backup").stat().st_mode & 0o077 == 0


def test_SEC12_no_session_is_in_a_backup(run: Run, tmp_path: Path, client: object) -> None:
    client.force_login(make_member(run.project, Role.LEAD))  # type: ignore[attr-defined]
    key = client.cookies["sessionid"].value  # type: ignore[attr-defined]
    make(tmp_path / "a.backup")
    with ZipFile(tmp_path / "a.backup") as archive:
        (tmp_path / "a.dump").write_bytes(archive.read(DATABASE))
    from config.backup.programs import program

    told = subprocess.run([program("pg_restore"), "--file=-", tmp_path / "a.dump"], capture_output=True, check=True)
    assert b"tallyrook" in told.stdout.lower()
    assert key.encode() not in told.stdout


def test_F23_a_damaged_or_cut_backup_changes_nothing(run: Run, tmp_path: Path) -> None:
    whole = tmp_path / "a.backup"
    make(whole)
    with pytest.raises(BackupError, match="is there already"):
        make(whole)
    cut = tmp_path / "cut.backup"
    cut.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(CommandError, match="its end is missing"):
        call_command("restore", str(cut))
    changed = tmp_path / "changed.backup"
    with ZipFile(whole) as source, ZipFile(changed, "w") as target:
        for name in source.namelist():
            body = source.read(name)
            target.writestr(name, body[:-1] + b"x" if name == DATABASE else body)
    with pytest.raises(CommandError, match=r"database.dump in .* was changed or damaged"):
        call_command("restore", str(changed), "--replace", "--yes")
    assert Run.objects.filter(pk=run.pk).exists()
    with pytest.raises(CommandError, match="There is no file"):
        call_command("restore", str(tmp_path / "none"))
    with ZipFile(changed, "w") as target:
        target.writestr(MANIFEST, json.dumps({"format": 99, "parts": {}}))
    with pytest.raises(CommandError, match="has format 99"):
        call_command("restore", str(changed))
