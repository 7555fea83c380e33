"""`make run` as a real process: it says where it is, keeps its parts alive, and goes quickly and wholly."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from config import embedded
from config.embedded import places, postgres
from config.stack import presence
from tests.conftest import ROOT

pytestmark = pytest.mark.faults


class Product:
    """`manage.py up` in a folder of its own."""

    def __init__(self, var: Path, *arguments: str) -> None:
        self.var, self.log = var, var.with_name(f"said-{time.monotonic_ns()}.txt")
        self.environment = {**os.environ, "RAG_TRIAGE_VAR": str(var)}
        with self.log.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    @property
    def lines(self) -> str:
        """Return what it has said so far."""
        return self.log.read_text()

    def wait_for(self, words: str, timeout_s: float = 90) -> None:
        """Wait until it has said these words (a regular expression)."""
        wait_until(lambda: bool(re.search(words, self.lines)), timeout_s, lambda: f"never said {words!r}: {self.lines}")

    @property
    def address(self) -> str:
        """Return the address it printed."""
        found = re.search(r"Open\s+(http://\S+)/", self.lines)
        assert found, self.lines
        return found.group(1)

    def children(self) -> dict[str, int]:
        """Return its parts: name to process."""
        names = {"gunicorn": "web", " worker ": "worker", " beat ": "beat"}
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if int(parent) == self.process.pid:
                found |= {name: int(process.name) for word, name in names.items() if word in words}
        return found

    def end(self, how: signal.Signals) -> float:
        """Signal it, wait, and return how many seconds it took."""
        began = time.monotonic()
        self.process.send_signal(how)
        self.process.wait(timeout=15)
        return time.monotonic() - began


def wait_until(holds: Callable[[], bool], timeout_s: float, complaint: Callable[[], str]) -> None:
    """Wait until it holds, or fail with the complaint."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, complaint()
        time.sleep(0.05)


def answer(address: str) -> str:
    """Return what the address answers."""
    with urllib.request.urlopen(address, timeout=30) as response:
        return str(response.read().decode())


class Folder:
    """Starts products in one folder and leaves nothing of them behind."""

    def __init__(self, var: Path) -> None:
        self.var = var
        self._started: list[Product] = []

    def up(self, *arguments: str) -> Product:
        """Start one."""
        self._started.append(Product(self.var, *arguments))
        return self._started[-1]

    def clean(self) -> None:
        """End whatever runs here."""
        for product in self._started:
            product.process.kill()
            product.process.wait()
        embedded.stop(self.var)


def enterable(folder: Path) -> Path:
    """Let the system user in that root hands the services to."""
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    return folder


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Product]]:
    """Return a starter of products that share a new folder."""
    folder = Folder(enterable(tmp_path) / "var")
    yield folder.up
    folder.clean()


@pytest.fixture
def fresh(up: Callable[..., Product]) -> Product:
    """A product that is up in the folder of `up`, to be ended by the test."""
    product = up("--port", "18431")
    product.wait_for("Logs: ")
    return product


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product that is up; the tests that share it may kill its parts, not itself."""
    folder = Folder(enterable(tmp_path_factory.mktemp("shared")) / "var")
    product = folder.up("--port", "18411")
    product.wait_for("Logs: ")
    yield product
    folder.clean()


def test_one_screen_says_where_it_is_and_how_to_get_in(running: Product) -> None:
    assert len(running.lines.splitlines()) <= 24
    assert re.search(rf"{running.address}/join/\S+", running.lines)
    assert answer(f"{running.address}/healthz") == "ok\n"
    assert json.loads(answer(f"{running.address}/readyz")) == {"status": "ok", "database": "ok", "queue": "ok"}


def test_the_one_time_link_opens(running: Product) -> None:
    link = re.search(r"http://\S+/join/\S+", running.lines)
    assert link
    assert "password" in answer(link.group()).lower()


@pytest.mark.parametrize("part", ["web", "worker", "beat"])
def test_a_part_that_dies_is_started_again_and_that_is_said(running: Product, part: str) -> None:
    wait_until(lambda: part in running.children(), 20, lambda: running.lines)
    before = running.children()[part]
    os.kill(before, signal.SIGKILL)
    running.wait_for(rf"{part} was killed \(SIGKILL\); starting it again")
    running.wait_for(rf"{part} is running again")
    wait_until(lambda: running.children().get(part, before) != before, 20, lambda: running.lines)


def test_a_worker_that_lives_but_takes_no_work_is_replaced(
    up: Callable[..., Product], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("WORKER_AWAY_S", "3"), ("WORKER_SLOW_S", "3"), ("SWEEP_EVERY_S", "1")):
        monkeypatch.setenv(name, seconds)
    product = up("--port", "18481")
    product.wait_for("Logs: ")
    wait_until(lambda: "ready." in (product.var / "log" / "worker.log").read_text(), 30, lambda: product.lines)
    os.kill(product.children()["worker"], signal.SIGSTOP)
    product.wait_for("worker lives but takes no work")
    product.wait_for("worker is running again")


def test_postgresql_killed_under_it_comes_back(running: Product) -> None:
    os.kill(int((postgres.data_folder(running.var) / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    wait_until(lambda: postgres.is_answering(running.var), 20, lambda: "stays away")
    assert json.loads(answer(f"{running.address}/readyz"))["status"] == "ok"


def status(address: str) -> int:
    """Return the status a page is answered with; 0 = no answer at all."""
    try:
        with urllib.request.urlopen(address, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


def test_F09_postgresql_killed_while_pages_are_read_costs_nobody_a_500(running: Product) -> None:
    page = f"{running.address}/join/no-such-link/"  # asks the database
    assert status(page) == 410
    seen = []
    for _ in range(3):
        os.kill(int((postgres.data_folder(running.var) / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        seen += [status(page) for _ in range(5)]
    wait_until(lambda: status(page) == 410, 20, lambda: f"stays away; seen {seen}")
    assert set(seen) <= {410, 503}
    assert seen.count(503) <= 3


def take_all_connections(var: Path, taken: list[psycopg.Connection]) -> None:
    """Open connections until the server refuses one."""
    with pytest.raises(psycopg.OperationalError, match=r"too many clients|remaining connection slots"):
        taken.extend(
            psycopg.connect(host=str(postgres.host(var)), user="postgres", dbname="postgres") for _ in range(200)
        )


def test_F11_postgresql_out_of_connections_is_a_503_that_says_when_to_come_back(running: Product) -> None:
    page = f"{running.address}/join/no-such-link/"
    taken: list[psycopg.Connection] = []
    try:
        take_all_connections(running.var, taken)
        answers = {status(page) for _ in range(8)}  # a thread that holds a connection still serves
        assert answers <= {410, 503}
    finally:
        for line in taken:
            line.close()
    wait_until(lambda: status(page) == 410, 10, lambda: "does not recover")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_stops_everything_within_5_seconds(fresh: Product, how: signal.Signals) -> None:
    children = fresh.children()
    assert sorted(children) == ["beat", "web", "worker"]
    assert fresh.end(how) < 5
    assert fresh.process.returncode == 0
    assert not [name for name, pid in children.items() if places.is_alive(pid)]
    assert not postgres.is_answering(fresh.var)


def test_a_taken_port_gives_the_next_free_one_and_says_so(up: Callable[..., Product]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 18451))
        taken.listen()
        product = up("--port", "18451")
        product.wait_for("Logs: ")
    assert "Port 18451 is taken: using 18452." in product.lines
    assert answer(f"{product.address}/healthz") == "ok\n"


def test_a_second_one_in_the_same_folder_is_told_where_the_first_is(fresh: Product, up: Callable[..., Product]) -> None:
    second = up("--port", "18461")
    second.process.wait(timeout=60)
    second.wait_for("already runs from this folder at http://127.0.0.1:18431")
    assert second.process.returncode == 1


def test_killed_hard_it_leaves_no_part_behind_and_starts_again(fresh: Product, up: Callable[..., Product]) -> None:
    children = fresh.children()
    fresh.process.kill()
    wait_until(lambda: not any(map(places.is_alive, children.values())), 30, lambda: f"still there: {children}")
    again = up("--port", "18431")
    again.wait_for("Logs: ")
    assert "was running" in again.lines, "PostgreSQL outlived the supervisor and is taken over"


def test_stop_ends_it_from_outside(fresh: Product) -> None:
    asked = subprocess.run(
        [sys.executable, "manage.py", "stop"],
        cwd=ROOT,
        env=fresh.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout.startswith("Stopped the product")
    assert fresh.process.wait(timeout=5) == 0
    assert not postgres.is_answering(fresh.var)


def test_a_web_server_that_cannot_start_shows_why(up: Callable[..., Product], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUNICORN_CMD_ARGS", "--no-such-option")
    product = up("--port", "18471")
    product.process.wait(timeout=90)
    product.wait_for("The web server did not come up")
    assert product.process.returncode == 1
    assert "no-such-option" in product.lines


def test_ctrl_c_in_a_terminal_ends_make_run_and_everything_under_it(tmp_path: Path) -> None:
    """In a terminal the whole foreground group gets the signal: make, and the supervisor, whose parts do not."""
    var = enterable(tmp_path) / "var"
    environment = {**os.environ, "RAG_TRIAGE_VAR": str(var)}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execvpe("make", ["make", "run", "PORT=18491"], environment)
    said = b""
    try:
        deadline = time.monotonic() + 90
        while b"Logs: " not in said:
            assert time.monotonic() < deadline, said
            if select.select([terminal], [], [], 0.5)[0]:
                said += os.read(terminal, 4096)
        assert "started" in said.decode(), said
        began = time.monotonic()
        os.write(terminal, b"\x03")
        with suppress(OSError):  # a closed terminal is how the end looks from here
            while select.select([terminal], [], [], 10)[0]:
                said += os.read(terminal, 4096)
        os.waitpid(pid, os.WNOHANG)
        assert time.monotonic() - began < 5
        assert b"Stopped everything in" in said
        assert not postgres.is_answering(var)
    finally:
        os.close(terminal)
        presence.end(var)
        embedded.stop(var)
