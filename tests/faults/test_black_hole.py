"""F-08: a queue that takes the connection and never answers. No page waits for it longer than a few seconds."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tests.factories import make_member, make_project
from tests.faults.test_reviewers import Web, cookie_of
from tests.labeling.screens import fields_of, make_desk
from triage.models import Role, Upload

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

#: What the promise allows.
PATIENCE_S = 5
BOUNDARY = "----part"


class BlackHole:
    """A port that accepts, reads and says nothing."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port: int = self._listener.getsockname()[1]
        self._kept: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        try:
            while True:
                self._kept.append(self._listener.accept()[0])
        except OSError:
            return  # closed: the test is over

    @property
    def callers(self) -> int:
        """Return how many came."""
        return len(self._kept)

    def close(self) -> None:
        """Let everybody go."""
        self._listener.close()
        for talk in self._kept:
            talk.close()


@pytest.fixture
def hole() -> Iterator[BlackHole]:
    made = BlackHole()
    yield made
    made.close()


@pytest.fixture
def web(tmp_path: Path, hole: BlackHole, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    tmp_path.chmod(0o755)
    monkeypatch.setenv("REDIS_URL", f"redis://127.0.0.1:{hole.port}/0")
    served = Web(tmp_path)
    served.wait()
    yield served
    served.end()


def ask(web: Web, method: str, path: str, cookie: str, body: bytes = b"", kind: str = "") -> tuple[int, str]:
    """Ask as a browser does; TimeoutError when nothing comes for PATIENCE_S."""
    headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}; csrftoken={'x' * 32}", "X-CSRFToken": "x" * 32}
    with closing(HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE_S)) as talk:
        talk.request(method, path, body, headers | ({"Content-Type": kind} if kind else {}))
        answer = talk.getresponse()
        return answer.status, answer.read().decode()


def file_form(name: str, content: bytes) -> tuple[bytes, str]:
    """Return the body and type of the upload form."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="run_files"; filename="{name}"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode(), f"multipart/form-data; boundary={BOUNDARY}"


def test_F08_a_queue_that_never_answers_holds_up_no_page(web: Web, hole: BlackHole) -> None:
    project = make_project()
    cookie = cookie_of(make_member(project, Role.LEAD))
    assert ask(web, "GET", "/healthz", "") == (200, "ok\n")
    for path in (f"/p/{project.slug}/", f"/p/{project.slug}/runs/", f"/p/{project.slug}/import/"):
        assert ask(web, "GET", path, cookie)[0] == 200
    body, kind = file_form("run.jsonl", b'{"question": "Why?"}\n')
    status, _ = ask(web, "POST", f"/p/{project.slug}/import/", cookie, body, kind)
    assert status == 302
    assert Upload.objects.get().state == Upload.State.WAITING
    assert hole.callers, "the queue was asked"
    ready, said = ask(web, "GET", "/readyz", "")
    assert (ready, json.loads(said)["status"]) == (200, "degraded")


def test_F07_F08_labelling_does_not_ask_the_queue(web: Web, hole: BlackHole) -> None:
    desk = make_desk(items=2)
    cookie = cookie_of(desk.reviewer)
    status, page = ask(web, "GET", desk.url(), cookie)
    assert status == 200
    form = fields_of(page) | {"label": "still_wrong"}
    status, _ = ask(web, "POST", desk.url(), cookie, urlencode(form).encode(), "application/x-www-form-urlencoded")
    assert status in {200, 302}
    assert desk.run.queries.get(position=1).verdicts.count() == 1
    assert not hole.callers
