"""Where an embedded service lives, who runs it, and who may start it: folders, users, locks, processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psycopg

#: A unix socket's path has at most this many bytes (sun_path is 108 with its final zero).
SOCKET_PATH_MAX_BYTES = 107
#: System users that may own a service when root starts it, in order of preference.
SYSTEM_USERS = ("postgres", "nobody", "daemon")
LOG_MAX_BYTES = 5 * 1024**2
#: The whole environment of a service: a foreign LANG, PGDATA or LD_* of the caller must not reach it.
CLEAN_ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}


class EmbeddedError(psycopg.OperationalError):
    """An embedded service cannot run here. The message says what to do instead."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The user a service runs as. `is_other` = root starts it for somebody else."""

    uid: int
    gid: int
    is_other: bool


def owner_for(data: Path) -> Owner:
    """Return who runs the service that keeps `data`: the caller, or, for root, the folder's owner or a system user.

    PostgreSQL refuses to run as root. Raises EmbeddedError when root finds no user to hand it to.
    """
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid(), is_other=False)
    for folder in (data, data.parent):
        if folder.exists() and (facts := folder.stat()).st_uid != 0:
            return Owner(facts.st_uid, facts.st_gid, is_other=True)
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in SYSTEM_USERS:
        if name in known:
            return Owner(known[name].pw_uid, known[name].pw_gid, is_other=True)
    raise EmbeddedError(f"root cannot run the embedded services and none of the users {SYSTEM_USERS} exists.")


def private_folder(folder: Path, owner: Owner) -> None:
    """Make `folder` if need be, belonging to the owner and to nobody else (0700). Parents keep their modes.

    Raises EmbeddedError when somebody else got there first: a folder in /tmp can be planted.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    if folder.is_symlink() or facts.st_uid not in {owner.uid, 0 if owner.is_other else owner.uid}:
        raise EmbeddedError(f"{folder} belongs to another user (uid {facts.st_uid}): remove it or run as that user.")
    if facts.st_uid != owner.uid:
        _give(folder, owner)
    if facts.st_mode & 0o077:
        folder.chmod(0o700)


def _give(folder: Path, owner: Owner) -> None:
    """Hand a folder of root's and all below it to the owner."""
    os.chown(folder, owner.uid, owner.gid)
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(root, name), owner.uid, owner.gid, follow_symlinks=False)


def socket_folder(data: Path, socket_name: str) -> Path:
    """Return the folder for the socket: the data folder, or a short one under /tmp where the path cannot serve.

    The short one is named by the data folder's path and nothing of the environment, so that every process agrees.
    """
    # To libpq a comma separates hosts.
    if len(os.fsencode(data / socket_name)) <= SOCKET_PATH_MAX_BYTES and "," not in str(data):
        return data
    return Path("/tmp") / f"rag-triage-{hashlib.sha256(os.fsencode(data)).hexdigest()[:16]}"  # noqa: S108


def remove_socket_folder(data: Path, folder: Path) -> None:
    """Remove the short folder of a stopped service; the data folder is never touched."""
    if folder != data:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Wait for the lock file and hold it. The kernel lets go of it when the holder dies, however it dies.

    Raises EmbeddedError when the file is another user's: so is the service then, and its socket is closed to us.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except PermissionError as error:
        raise EmbeddedError(
            f"{lock.parent} belongs to another user: run as that user, or set RAG_TRIAGE_VAR"
        ) from error
    try:
        if os.geteuid() == 0:
            folder = lock.parent.stat()
            os.fchown(handle, folder.st_uid, folder.st_gid)  # a user whose folder root once used can still lock
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def command_for(owner: Owner, command: Sequence[str], reaches: Sequence[Path]) -> tuple[list[str], dict[str, int]]:
    """Return the command and Popen's arguments that run it as the owner.

    A checkout under /root is closed to every system user. Opening its parents would change what is not ours, so
    the service is given the one capability that passes closed folders. Raises EmbeddedError where that is denied.
    """
    if not owner.is_other:
        return list(command), {}
    identity = {"user": owner.uid, "group": owner.gid}
    probe = ["/bin/sh", "-c", 'for path in "$@"; do [ -x "$path" ] || exit 1; done', "sh", *map(str, reaches)]
    if subprocess.run(probe, cwd="/", extra_groups=[], **identity).returncode == 0:  # type: ignore[call-overload]
        return list(command), identity
    if (setpriv := shutil.which("setpriv")) is None:
        raise EmbeddedError(f"user {owner.uid} cannot enter {reaches[-1]}: move the checkout out of root's own folder.")
    rights = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")
    return [setpriv, f"--reuid={owner.uid}", f"--regid={owner.gid}", "--clear-groups", *rights, *command], {}


def append_to(log: Path, owner: Owner) -> BinaryIO:
    """Open the log at its end, belonging to the owner; one that grew large is set aside first."""
    if log.exists() and log.stat().st_size > LOG_MAX_BYTES:
        log.replace(log.with_suffix(".log.1"))
    lines = log.open("ab")
    if owner.is_other:
        os.fchown(lines.fileno(), owner.uid, owner.gid)
    return lines


def living(data: Path, program: str) -> list[int]:
    """Return the processes of `program` that work in `data`. A pid file lies after a crash; a working folder does not.

    Where there is no /proc the pid file is read, and believed only if that process runs the program on this folder.
    """
    if not Path("/proc/self/exe").exists():
        return _named_in_pid_file(data, program)
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").readlink().name.startswith(program) and (process / "cwd").samefile(data):
                found.append(int(process.name))
        except OSError:
            continue  # gone meanwhile, or another user's: not ours
    return sorted(found)


def _named_in_pid_file(data: Path, program: str) -> list[int]:
    words = [word for path in data.glob("*.pid") for word in path.read_text().split()[:1] if word.isdigit()]
    asked = subprocess.run(["ps", "-o", "pid=,command=", "-p", ",".join(words) or "0"], capture_output=True, text=True)  # noqa: S607
    lines = [line.strip() for line in asked.stdout.splitlines() if program in line and str(data) in line]
    return [int(line.split()[0]) for line in lines]


def heads(pids: Sequence[int]) -> list[int]:
    """Return those of the processes whose parent is not among them: the server, or the orphans of a dead one."""
    return [pid for pid in pids if (facts := _facts(pid)) is None or int(facts[1]) not in pids]


def _facts(pid: int) -> list[str] | None:
    """Return the process's state, parent and so on; None where /proc does not know it."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return None


def is_alive(pid: int) -> bool:
    """Say whether the process runs; a dead one that nobody buried (a zombie) does not."""
    if (facts := _facts(pid)) is not None:
        return facts[0] not in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
