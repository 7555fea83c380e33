"""Eight reviewers at once against two real web processes, a worker importing: nothing lost, nothing doubled.

The clients speak HTTP as a browser does; one run has a web process killed half-way. Percentiles are printed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import quantiles
from urllib.parse import quote, urlencode

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from pytest_django import Settings

from labeling.models import Verdict
from labeling.worklist import Wish, make_session
from tests.conftest import ROOT
from tests.factories import make_member, make_project, make_run
from tests.faults.test_pipeline import Plant
from tests.labeling.screens import fields_of, make_case
from triage import intake
from triage.models import Role, Upload

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

REVIEWERS, ITEMS, OVERLAP = 8, 200, 2


def free_port() -> int:
    """Return a port nobody listens on now."""
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port: int = probe.getsockname()[1]
        return port


def children_of(parent: int) -> list[int]:
    """Return the processes this one started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(words[1]) == parent:
            found.append(int(folder.name))
    return found


class Web:
    """gunicorn processes on this test's own database."""

    def __init__(self, folder: Path, workers: int = 2, **more: str) -> None:
        database = connection.settings_dict
        environment = {
            **os.environ,
            "DATABASE_URL": f"postgresql://postgres@/{database['NAME']}?host={quote(str(database['HOST']))}",
            "RAG_TRIAGE_VAR": str(folder / "files"),
            "SECRET_KEY": settings.SECRET_KEY,
            **more,
        }
        self.port = free_port()
        self._log = (folder / "web.log").open("ab")
        command = [sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "--workers", str(workers)]
        self.master = subprocess.Popen(
            [*command, "--bind", f"127.0.0.1:{self.port}", "config.wsgi"],
            cwd=ROOT,
            env=environment,
            stdout=self._log,
            stderr=self._log,
        )

    def wait(self) -> None:
        """Wait until it answers."""
        for _ in range(150):
            try:
                with closing(HTTPConnection("127.0.0.1", self.port, timeout=5)) as talk:
                    talk.request("GET", "/login/")
                    talk.getresponse().read()
                    return
            except OSError:
                time.sleep(0.2)
        raise AssertionError("the web processes did not come up")

    def kill_one(self) -> None:
        """Kill one of the two processes; the master starts another."""
        os.kill(min(children_of(self.master.pid)), signal.SIGKILL)

    def end(self) -> None:
        """Stop both, and wait until the database is let go of."""
        self.master.terminate()
        self.master.wait(30)
        self._log.close()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    tmp_path.chmod(0o755)
    served = Web(tmp_path)
    served.wait()
    yield served
    served.end()


@pytest.fixture
def importer(transactional_db: None, tmp_path: Path, settings: Settings) -> Iterator[Plant]:
    """A worker and beat on this test's database, which import what is handed in."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    settings.UPLOAD_DIR = tmp_path / "files" / "uploads"
    plant = Plant(tmp_path)
    plant.beat()
    plant.worker(concurrency=1)
    yield plant
    plant.end()


class Reviewer:
    """One person at the screen: opens the queue, saves each item, keeps after the reveal. A lost answer is retried."""

    def __init__(self, cookie: str, session: str, port: int) -> None:
        self._cookies = {settings.SESSION_COOKIE_NAME: cookie}
        self._talk = HTTPConnection("127.0.0.1", port, timeout=30)
        self._session = session
        self.waits: list[float] = []
        self.retries = 0

    def work(self) -> int:
        """Read until the queue hands out nothing more; return how many items were read."""
        page, read = self._ask("GET", f"/sessions/{self._session}/review/"), 0
        while 'data-state="empty"' not in page:
            form, place = fields_of(page), self._place(page)
            if 'data-state="revealed"' not in page:
                form |= {"label": ("retrieval_miss", "still_wrong")[read % 2], "insists": "1"}
                read += 1
            start = time.perf_counter()
            page = self._ask("POST", place, form)
            self.waits.append(time.perf_counter() - start)
        self._talk.close()
        return read

    def _place(self, page: str) -> str:
        found = re.search(r'action="(/sessions/\w+/review/\d+/)"', page)
        assert found, page[:500]
        return found[1]

    def _ask(self, method: str, path: str, form: dict[str, str] | None = None) -> str:
        """Send a request, again if the connection breaks: the same form is the same save."""
        for _attempt in range(20):
            try:
                return self._send(method, path, form)
            except (OSError, HTTPException):
                self.retries += 1
                self._talk.close()
                time.sleep(0.3)
        raise AssertionError(f"no answer from {path}")

    def _send(self, method: str, path: str, form: dict[str, str] | None) -> str:
        body = urlencode(form | {"csrfmiddlewaretoken": self._cookies["csrftoken"]}) if form else None
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
            "HX-Request": "true",
        }
        self._talk.request(method, path, body, headers)
        answer = self._talk.getresponse()
        page = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self._cookies[name] = value
        if answer.status == 302:
            return self._send("GET", answer.headers["Location"], None)
        if answer.status >= 500:
            raise HTTPException(f"{answer.status}")
        assert answer.status in {200, 409}, (answer.status, page[:300])
        return page


def cookie_of(user: object) -> str:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return client.cookies[settings.SESSION_COOKIE_NAME].value


@pytest.mark.parametrize("killed", [False, True], ids=["whole", "one web process killed half-way"])
def test_F50_two_hundred_items_read_twice_each_by_eight_people(
    web: Web, importer: Plant, killed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run()
    for _ in range(ITEMS):
        make_case(run, chunks=5, claims=2)
    session = make_session(run, None, Wish(name="Read twice", how="all", overlap=OVERLAP))
    people = [
        Reviewer(cookie_of(make_member(run.project, Role.REVIEWER)), session.key, web.port) for _ in range(REVIEWERS)
    ]
    over = threading.Event()
    importing = threading.Thread(target=_import_meanwhile, args=(over,))
    importing.start()
    if killed:
        threading.Timer(6, web.kill_one).start()
    with ThreadPoolExecutor(REVIEWERS) as pool:
        read = sum(pool.map(Reviewer.work, people))
    over.set()
    importing.join()
    imported = Upload.objects.filter(state=Upload.State.DONE).count()
    assert imported, importer.said()
    assert not Upload.objects.filter(state=Upload.State.FAILED).exists()
    rows = list(Verdict.objects.filter(stage="first", withdrawn=False).values_list("query", "reviewer"))
    assert len(rows) == len(set(rows)) == ITEMS * OVERLAP
    assert set(Counter(query for query, _ in rows).values()) == {OVERLAP}
    assert read >= ITEMS * OVERLAP
    assert not session.leases.exclude(state="done").exists()
    waits = sorted(wait for person in people for wait in person.waits)
    retries = sum(person.retries for person in people)
    with capsys.disabled():
        half, most = quantiles(waits, n=100)[49], quantiles(waits, n=100)[94]
        sys.stdout.write(f"\nsave & next: p50 {half * 1000:.0f} ms, p95 {most * 1000:.0f} ms, {retries} retries")
        sys.stdout.write(f", {imported} runs imported meanwhile\n")


def _import_meanwhile(over: threading.Event) -> None:
    """Hand in file after file until the reading is over, so that the worker always has one to import."""
    project = make_project()
    try:
        while not over.is_set():
            waiting = Upload.objects.exclude(state__in=[Upload.State.DONE, Upload.State.FAILED])
            if waiting.count() < 2:
                intake.store(project, None, "meanwhile.jsonl", _lines(f"run {time.monotonic_ns()}"))
            time.sleep(0.2)
    finally:
        connection.close()


def _lines(name: str) -> Iterator[bytes]:
    """Yield a run file of 300 queries with five chunks each."""
    yield json.dumps({"kind": "run", "name": name}).encode() + b"\n"
    for number in range(300):
        chunks = [
            {"id": f"{name}-{number}-{slot}", "text": f"Chunk {slot} of {number} in {name}."} for slot in range(5)
        ]
        asked = {
            "id": f"q{number}",
            "question": f"What says {number}?",
            "answer": f"It says {number}.",
            "correct": True,
        }
        yield json.dumps({**asked, "retrieved": chunks}).encode() + b"\n"
