"""F-34: clients that send or read slowly are dropped by a real web process of four threads, and nothing stays."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from config.gunicorn import threads
from tests.faults.test_reviewers import Web
from triage.models import Upload

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]
#: Longer than any of this takes, and far shorter than for ever.
PATIENT_S = 120
UPLOAD = (
    "POST /p/any/import/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    f"Cookie: csrftoken={'a' * 32}\r\nContent-Length: 5000000\r\n\r\n"
    "--b\r\nContent-Disposition: form-data; name=run_files; filename=a.jsonl\r\n\r\n{"
)
#: What a client sends, over and over, and never comes to an end with.
SLOW = {
    "nothing after half a line": ("GET /login/ HT", ""),
    "a head without an end": ("GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n", "X-A: b\r\n"),
    "half a file and no more": (UPLOAD + "x" * 100_000, ""),
    "a file by the byte": (UPLOAD, "x"),
    "chunks by the byte": (UPLOAD.replace("Content-Length: 5000000", "Transfer-Encoding: chunked"), "1\r\nx\r\n"),
}


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    tmp_path.chmod(0o755)
    served = Web(tmp_path, workers=1, CLIENT_PATIENCE_S="2")
    served.wait()
    yield served
    served.end()


def seconds_until_dropped(port: int, first: str, then: str) -> float:
    """Send slowly until the server hangs up; return how long that took, by this process's own clock."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENT_S) as line:
        line.sendall(first.encode())
        line.settimeout(0.3)
        while time.monotonic() - began < PATIENT_S:
            try:
                if then:
                    line.sendall(then.encode())
                if not line.recv(4096):
                    return time.monotonic() - began
            except TimeoutError:
                continue
            except OSError:
                return time.monotonic() - began
    raise AssertionError("still connected")


@pytest.mark.parametrize("how", SLOW)
def test_F34_slow_clients_on_every_thread_are_dropped_and_the_next_is_served(
    web: Web, how: str, tmp_path: Path
) -> None:
    lasted: list[float] = []
    clients = [
        threading.Thread(target=lambda: lasted.append(seconds_until_dropped(web.port, *SLOW[how])))
        for _ in range(2 * threads)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert len(lasted) == 2 * threads
    web.wait()
    assert not Upload.objects.exists()
    assert not list((tmp_path / "files").glob("uploads/*")), "what is in tmp/ goes with the request, or within the hour"


def test_F34_clients_that_do_not_read_what_they_asked_for_are_dropped(web: Web) -> None:
    lines = [socket.create_connection(("127.0.0.1", web.port), timeout=PATIENT_S) for _ in range(2 * threads)]
    for line in lines:  # each asks for far more than buffers hold
        line.sendall(b"GET /static/css/base.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 500)
    web.wait()
    for line in lines:
        line.close()


def test_F34_a_client_that_is_only_slow_is_served(web: Web) -> None:
    body = b"x" * 20_000
    with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENT_S) as line:
        head = (
            "POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Cookie: csrftoken={'a' * 32}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        line.sendall(head.encode())
        for start in range(0, len(body), 2_000):
            line.sendall(body[start : start + 2_000])
            time.sleep(0.3)  # 6.7 kB/s: longer in all than the patience, and fast enough
        assert line.recv(100).startswith(b"HTTP/1.1 403"), "answered: this form has no token"


def test_F34_one_line_serves_many_requests(web: Web) -> None:
    talk = HTTPConnection("127.0.0.1", web.port, timeout=PATIENT_S)
    for _ in range(5):
        talk.request("GET", "/login/")
        answer = talk.getresponse()
        assert (answer.status, b"Log in" in answer.read()) == (200, True)
        time.sleep(0.6)  # 3 s in all: each request has an allowance of its own
    talk.close()
