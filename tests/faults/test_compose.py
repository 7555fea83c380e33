"""The commands of docker-compose.yml with its environment, as plain processes: Docker itself cannot run here.

PostgreSQL and a password-protected Valkey on TCP stand in for the two servers. What Docker adds (images, networks,
read-only roots) is checked on paper only, in tests/house/test_deploy.py.
"""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
import yaml

from config.embedded import places, postgres, valkey
from tests.conftest import ROOT

pytestmark = pytest.mark.faults

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
#: Words that must not appear in any log (SEC-16).
MARKERS = {
    "SECRET_KEY": "mArKeR-key-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOP",
    "POSTGRES_PASSWORD": "markerOfPostgres77",
    "REDIS_PASSWORD": "markerOfRedis88",
}


def free_port() -> int:
    """Return a TCP port that is free now."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


class Host:
    """One host with the two servers; parts are started by their name in the compose file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.redis_port, self.web_port = folder, free_port(), free_port()
        postgres.ensure(folder / "servers", throw_away=True)
        self.socket = postgres.host(folder / "servers")
        with psycopg.connect(host=str(self.socket), user="postgres", dbname="postgres", autocommit=True) as line:
            line.execute(f"CREATE ROLE rag_triage LOGIN PASSWORD '{MARKERS['POSTGRES_PASSWORD']}'")
            line.execute("CREATE DATABASE rag_triage OWNER rag_triage")
        command = COMPOSE["services"]["redis"]["command"][-1].replace("$$", "$")
        command = command.replace("valkey-server", f"'{valkey._binary()}' --port {self.redis_port} --dir '{folder}'")
        self.started = [self._popen(["sh", "-c", command], {"REDIS_PASSWORD": MARKERS["REDIS_PASSWORD"]}, "redis")]

    def environment(self, name: str) -> dict[str, str]:
        """Return a part's environment with its placeholders filled in, pointed at the stand-ins."""
        raw = COMPOSE["services"][name]["environment"]
        values = {**MARKERS, "ALLOWED_HOSTS": "triage.example.org,localhost"}
        filled = {
            key: re.sub(r"\$\{([A-Z_]+)(?::-([^}]*)|:\?[^}]*)?\}", lambda m: values.get(m[1], m[2] or ""), str(value))
            for key, value in raw.items()
        }
        filled["DATABASE_URL"] = filled["DATABASE_URL"].replace("@db:5432/", "@/") + f"?host={quote(str(self.socket))}"
        filled["REDIS_URL"] = filled["REDIS_URL"].replace("@redis:6379", f"@127.0.0.1:{self.redis_port}")
        return {**filled, "RAG_TRIAGE_VAR": str(self.folder / "files")}

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start a part with its own command."""
        words = [re.sub(r"\$\{[A-Z_]+:-([^}]*)\}", r"\1", word) for word in COMPOSE["services"][name]["command"]]
        words = [word.replace("0.0.0.0:8000", f"127.0.0.1:{self.web_port}") for word in words]
        words = [word.replace("/tmp/celerybeat", f"{self.folder}/celerybeat") for word in words]
        words = words[1:] if words[0] == "python" else ["-m", *words]
        self.started.append(self._popen([sys.executable, *words], self.environment(name), name))
        return self.started[-1]

    def _popen(self, words: list[str], environment: dict[str, str], name: str) -> subprocess.Popen[bytes]:
        clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(words, cwd=ROOT, env=clean, stdout=log, stderr=log)

    def said(self) -> dict[str, str]:
        """Return every part's log."""
        return {path.stem: path.read_text(errors="replace") for path in self.folder.glob("*.log")}

    def ask(self, path: str, **headers: str) -> http.client.HTTPResponse:
        """Ask the web for a page."""
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        with closing(http.client.HTTPConnection("127.0.0.1", self.web_port, timeout=5)) as line:
            line.request("GET", path, headers={"Host": "localhost", "Connection": "close", **named})
            response = line.getresponse()
            response.read()
        return response

    def end(self) -> None:
        """End everything."""
        for process in self.started:
            process.kill()
            process.wait()
        postgres.stop(self.folder / "servers")


def wait_until(holds: Callable[[], bool], timeout_s: float, host: Host) -> None:
    """Wait until it holds, or fail with what everybody said."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, {name: text[-2000:] for name, text in host.said().items()}
        time.sleep(0.2)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host on which the migration has run and web, worker and beat are up."""
    folder = tmp_path_factory.mktemp("compose")
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    (folder / "files").mkdir()
    made = Host(folder)
    try:
        assert made.start("migrate").wait(timeout=90) == 0, made.said()["migrate"][-2000:]
        for name in ("web", "worker", "beat"):
            made.start(name)
        wait_until(lambda: _answers(made), 60, made)
        yield made
    finally:
        made.end()


def _answers(host: Host) -> bool:
    try:
        return host.ask("/healthz").status == http.client.OK
    except OSError:
        return False


def test_the_web_is_healthy_and_ready(host: Host) -> None:
    assert host.ask("/healthz").status == http.client.OK
    assert host.ask("/readyz").status == http.client.OK


def test_SEC08_behind_tls_cookies_are_secure_and_plain_http_is_sent_away(host: Host) -> None:
    assert host.ask("/login/").status == http.client.MOVED_PERMANENTLY
    page = host.ask("/login/", X_Forwarded_Proto="https")
    assert page.status == http.client.OK
    cookie = page.headers["Set-Cookie"]
    assert "Secure" in cookie
    assert "SameSite=Lax" in cookie
    assert "max-age=31536000" in page.headers["Strict-Transport-Security"]
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_a_foreign_host_name_is_refused(host: Host) -> None:
    assert host.ask("/login/", Host="evil.example").status == http.client.BAD_REQUEST


def test_the_workers_own_health_question_is_answered(host: Host) -> None:
    question = COMPOSE["services"]["worker"]["healthcheck"]["test"][1].replace("$$HOSTNAME", socket.gethostname())
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **host.environment("worker")}

    def _pings() -> bool:
        asked = subprocess.run(question, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True)
        return asked.returncode == 0 and "pong" in asked.stdout

    wait_until(_pings, 60, host)


def test_beat_sends_and_the_worker_does(host: Host) -> None:
    wait_until(lambda: "Sending due task sweep" in host.said()["beat"], 60, host)
    wait_until(lambda: re.search(r"Task triage\.sweep\S+ succeeded", host.said()["worker"]) is not None, 60, host)


def test_a_polite_stop_ends_a_worker_soon(host: Host) -> None:
    again = host.start("worker")
    wait_until(lambda: host.said()["worker"].count("ready.") >= 2, 60, host)
    began = time.monotonic()
    again.send_signal(signal.SIGTERM)
    again.wait(timeout=40)
    assert time.monotonic() - began < 35
    assert not places.is_alive(again.pid)


def test_SEC16_no_log_holds_a_secret(host: Host) -> None:
    wait_until(lambda: "ready." in host.said()["worker"], 60, host)
    said = host.said()
    assert {"web", "worker", "beat", "migrate"} <= set(said)
    assert not [(name, key) for name, text in said.items() for key, marker in MARKERS.items() if marker in text]


def test_SEC01_the_migration_made_no_account(host: Host) -> None:
    with psycopg.connect(host=str(host.socket), user="postgres", dbname="rag_triage") as line:
        assert line.execute("SELECT count(*) FROM auth_user").fetchone() == (0,)
