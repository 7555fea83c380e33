"""The embedded PostgreSQL and Redis against what laptops do to them: kills, reboots, odd folders, two at once."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from config import embedded
from config.embedded import places, postgres, valkey
from tests.conftest import ROOT

pytestmark = pytest.mark.faults

Make = Callable[[str], Path]


@pytest.fixture
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    """Return a maker of service folders by name; what was started in them is stopped afterwards."""
    made: list[Path] = []

    def _make(name: str = "var") -> Path:
        base = tmp_path_factory.mktemp("embedded")
        for folder in (base, base.parent, base.parent.parent):
            if os.geteuid() == 0:
                folder.chmod(0o755)
        made.append(base / name)
        return made[-1]

    yield _make
    for var in made:
        embedded.stop(var)


@pytest.fixture
def var(make: Make) -> Path:
    """One folder with a database that runs and holds a row."""
    folder = make("var")
    postgres.ensure(folder)
    ask(folder, "CREATE TABLE kept AS SELECT 41 AS value")
    return folder


def ask(var: Path, statement: str) -> list[tuple[object, ...]]:
    """Run one statement as the superuser and return its rows."""
    with psycopg.connect(
        host=str(postgres.host(var)), port=5432, user="postgres", dbname="postgres", autocommit=True
    ) as line:
        cursor = line.execute(statement)
        return cursor.fetchall() if cursor.description else []


def server(var: Path) -> int:
    """Return the server's process."""
    return int((postgres.data_folder(var) / "postmaster.pid").read_text().split()[0])


def wait_gone(pid: int) -> None:
    """Wait until the process is gone, or fail."""
    deadline = time.monotonic() + 10
    while places.is_alive(pid):
        assert time.monotonic() < deadline, f"process {pid} stays"
        time.sleep(0.01)


def test_a_second_start_finds_the_first(var: Path) -> None:
    pid = server(var)
    assert postgres.ensure(var) is False
    assert server(var) == pid


def test_a_server_killed_hard_is_recovered_with_its_rows(var: Path) -> None:
    os.kill(server(var), signal.SIGKILL)
    assert postgres.ensure(var) is True
    assert ask(var, "SELECT value FROM kept") == [(41,)]


def test_orphans_of_a_killed_server_are_ended_before_the_next_one_starts(var: Path) -> None:
    line = psycopg.connect(host=str(postgres.host(var)), port=5432, user="postgres", dbname="postgres")
    orphan = line.execute("SELECT pg_backend_pid()").fetchone()
    assert orphan is not None
    os.kill(orphan[0], signal.SIGSTOP)  # one that cannot notice the death of its parent
    os.kill(server(var), signal.SIGKILL)
    assert postgres.ensure(var) is True
    assert not places.is_alive(orphan[0])
    assert ask(var, "SELECT value FROM kept") == [(41,)]
    line.close()


def test_a_reused_pid_is_neither_believed_nor_killed(var: Path) -> None:
    postgres.stop(var)
    with subprocess.Popen(["sleep", "60"]) as stranger:
        pid_file = postgres.data_folder(var) / "postmaster.pid"
        pid_file.write_text(f"{stranger.pid}\n{postgres.data_folder(var)}\n1\n5432\n\n\n")
        assert postgres.ensure(var) is True
        assert postgres.stop(var) is True
        assert stranger.poll() is None, "an unrelated process was killed"
        stranger.kill()


@pytest.mark.parametrize("content", ["", "12", "not a number\n", "\0\0\0"])
def test_a_damaged_pid_file_does_not_prevent_the_start(var: Path, content: str) -> None:
    os.kill(pid := server(var), signal.SIGKILL)
    wait_gone(pid)
    (postgres.data_folder(var) / "postmaster.pid").write_text(content)
    assert postgres.ensure(var) is True
    assert ask(var, "SELECT value FROM kept") == [(41,)]


def test_a_reboot_is_survived(make: Make) -> None:
    """A reboot leaves files and no process, and empties the folder of short socket paths."""
    var = make("deep" * 22)
    postgres.ensure(var)
    ask(var, "CREATE TABLE kept AS SELECT 41 AS value")
    for pid in places.living(postgres.data_folder(var), postgres.PROGRAM):
        with contextlib.suppress(ProcessLookupError):  # the children go by themselves once the first one is gone
            os.kill(pid, signal.SIGKILL)
    folder = postgres.host(var)
    assert folder.parent == Path("/tmp")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert postgres.ensure(var) is True
    assert ask(var, "SELECT value FROM kept") == [(41,)]


@pytest.mark.parametrize(
    "name", ["with space", "quote's", 'double"quote', "dollar $HOME `id`", "comma, pair", "ünï", "d" * 110]
)
def test_any_folder_name_serves(make: Make, name: str) -> None:
    var = make(name)
    assert postgres.ensure(var, throw_away=True) is True
    assert ask(var, "SELECT 1") == [(1,)]
    assert valkey.ensure(var) is True
    assert embedded.stop(var) == ["Redis", "PostgreSQL"]
    short = {postgres.host(var), valkey.socket_path(var).parent} - {postgres.data_folder(var), valkey.data_folder(var)}
    assert not [folder for folder in short if folder.exists()], "a stop leaves nothing in /tmp"


def test_a_foreign_environment_does_not_reach_the_server(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "LANG": "xx_YY",
        "LC_ALL": "nowhere",
        "PGDATA": "/nowhere",
        "PGOPTIONS": "",
        "TZ": "Moon",
    }.items():
        monkeypatch.setenv(name, value)
    var = make("var")
    postgres.ensure(var, throw_away=True)
    assert ask(var, "SHOW TimeZone") != [("Moon",)]
    assert ask(var, "SHOW server_encoding") == [("UTF8",)]


def test_many_starters_at_once_get_one_server(make: Make) -> None:
    var = make("var")
    code = (
        "import sys; from pathlib import Path; from config.embedded import postgres, valkey\n"
        "var = Path(sys.argv[1]); print(postgres.ensure(var, throw_away=True), valkey.ensure(var))"
    )
    starters = [
        subprocess.Popen([sys.executable, "-c", code, str(var)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    answers = [starter.communicate(timeout=60)[0].split() for starter in starters]
    assert sorted(answer[0] for answer in answers) == ["False"] * 5 + ["True"]
    assert sorted(answer[1] for answer in answers) == ["False"] * 5 + ["True"]


def test_a_starter_killed_half_way_leaves_nothing_that_hinders_the_next(make: Make) -> None:
    var = make("var")
    code = (
        "import sys; from pathlib import Path; from config.embedded import postgres; postgres.ensure(Path(sys.argv[1]))"
    )
    for delay_s in (0.15, 0.3, 0.45, 0.6):
        starter = subprocess.Popen([sys.executable, "-c", code, str(var)], cwd=ROOT)
        time.sleep(delay_s)
        starter.kill()
        starter.wait()
    postgres.ensure(var)
    assert ask(var, "SELECT 1") == [(1,)]


def test_a_hung_server_is_replaced(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "SILENCE_TIMEOUT_S", 0.5)
    (postgres.host(var) / postgres.SOCKET_NAME).unlink()  # alive, yet nobody can reach it
    assert postgres.ensure(var) is True
    assert ask(var, "SELECT value FROM kept") == [(41,)]


def test_stop_is_quick_with_connections_open_and_says_whether_there_was_one(var: Path) -> None:
    line = psycopg.connect(host=str(postgres.host(var)), port=5432, user="postgres", dbname="postgres")
    line.execute("SELECT 1")
    began = time.monotonic()
    assert postgres.stop(var) is True
    assert time.monotonic() - began < 3
    assert postgres.stop(var) is False
    line.close()


def test_nothing_listens_on_the_network_and_the_data_is_private(var: Path) -> None:
    assert ask(var, "SHOW listen_addresses") == [("",)]
    assert postgres.data_folder(var).stat().st_mode & 0o077 == 0
    assert postgres.host(var).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be root")
def test_root_hands_the_server_to_a_system_user_and_leaves_the_parents_alone(make: Make) -> None:
    var = make("var")
    before = {folder: folder.stat().st_mode for folder in var.parents}
    postgres.ensure(var, throw_away=True)
    owner = postgres.data_folder(var).stat().st_uid
    assert pwd.getpwuid(owner).pw_name in places.SYSTEM_USERS
    assert {folder: folder.stat().st_mode for folder in var.parents} == before


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be root")
def test_root_may_keep_its_checkout_in_a_folder_closed_to_everybody(make: Make) -> None:
    var = make("closed") / "var"
    var.parent.mkdir(mode=0o700)
    postgres.ensure(var, throw_away=True)
    valkey.ensure(var)
    assert ask(var, "SELECT 1") == [(1,)]
    assert embedded.stop(var) == ["Redis", "PostgreSQL"]
    assert var.parent.stat().st_mode & 0o777 == 0o700


def test_a_planted_socket_folder_is_refused(make: Make) -> None:
    target = make("var")
    target.mkdir(parents=True)
    (target.parent / "planted").symlink_to(target)
    with pytest.raises(places.EmbeddedError, match="belongs to another user"):
        places.private_folder(target.parent / "planted", places.owner_for(target))


def test_a_platform_without_a_wheel_is_told_what_to_set(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(places.EmbeddedError, match="DATABASE_URL"):
        postgres.ensure(make("one"))
    with pytest.raises(places.EmbeddedError, match="REDIS_URL"):
        valkey.ensure(make("two"))


def test_a_start_that_fails_shows_the_end_of_the_log(var: Path) -> None:
    postgres.stop(var)
    (postgres.data_folder(var) / "postgresql.auto.conf").write_text("max_connections = 'many'\n")
    with pytest.raises(places.EmbeddedError, match="max_connections"):
        postgres.ensure(var)


def test_redis_killed_hard_comes_back_and_forgets(make: Make) -> None:
    var = make("var")
    valkey.ensure(var)
    [pid] = places.living(valkey.data_folder(var), valkey.PROGRAM)
    os.kill(pid, signal.SIGKILL)
    wait_gone(pid)
    assert not valkey.is_answering(var)
    assert valkey.ensure(var) is True
    assert valkey.ensure(var) is False


def test_redis_never_evicts_and_listens_nowhere(make: Make) -> None:
    var = make("var")
    valkey.ensure(var)
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(valkey.socket_path(var)))
        line.sendall(b"CONFIG GET maxmemory-policy\r\nCONFIG GET port\r\n")
        time.sleep(0.1)
        answer = line.recv(4096)
    assert b"noeviction" in answer
    assert answer.rstrip().endswith(b"$1\r\n0")


def test_redis_that_hangs_is_replaced(make: Make) -> None:
    var = make("var")
    valkey.ensure(var)
    [pid] = places.living(valkey.data_folder(var), valkey.PROGRAM)
    os.kill(pid, signal.SIGSTOP)
    assert valkey.ensure(var) is True
    wait_gone(pid)
