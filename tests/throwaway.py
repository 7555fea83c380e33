"""A PostgreSQL and a Redis of this test run's own: made in a temporary folder, gone at its end.

They are the embedded services themselves with durability off. Two test runs at once do not meet; the workers of one
run (xdist) share. A run that was killed leaves its folder behind, and the next run, whosever it is, removes it: the
lock in the folder tells whether its maker lives.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from config import embedded
from config.embedded import postgres, valkey

PREFIX = "rag-triage-tests-"
#: What would make a test depend on the shell it was started from.
FOREIGN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "PRODUCTION", "DEBUG", "BEHIND_TLS", "ALLOWED_HOSTS")

_held: dict[Path, int] = {}


def start(durable: bool = False) -> Path:
    """Start both in a new folder, point the settings at it through the environment, and return the folder.

    `durable`: PostgreSQL keeps its promises as in production; what is measured then includes its waits for the disk.
    """
    clean()
    var = Path(tempfile.mkdtemp(prefix=PREFIX))
    var.chmod(0o755)  # started by root, the services run as a system user who has to get in
    handle = os.open(var / "in-use", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    _held[var] = handle
    for name in FOREIGN:
        os.environ.pop(name, None)
    os.environ["RAG_TRIAGE_VAR"] = str(var)
    postgres.ensure(var, throw_away=not durable)
    valkey.ensure(var)
    return var


def stop(var: Path) -> None:
    """Stop both and leave nothing behind."""
    embedded.stop(var)
    shutil.rmtree(var, ignore_errors=True)
    os.close(_held.pop(var))


def clean() -> None:
    """Remove what killed test runs of this user left."""
    for var in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if var.stat().st_uid != os.geteuid():
                continue
            handle = os.open(var / "in-use", os.O_RDWR)
        except FileNotFoundError:
            continue  # not of a test run, or gone since it was listed
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            embedded.stop(var)
            shutil.rmtree(var, ignore_errors=True)
        except BlockingIOError:
            pass  # its run is still going
        finally:
            os.close(handle)
