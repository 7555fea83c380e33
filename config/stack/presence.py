"""Whether the product already runs from this folder, and where. The lock is the truth: it dies with its holder."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

STOP_TIMEOUT_S = 8.0


@dataclass(frozen=True, slots=True)
class Running:
    """A supervisor that lives: its process and the address it serves (empty while it starts)."""

    pid: int
    address: str


class Presence:
    """Held while the product runs."""

    def __init__(self, var: Path) -> None:
        self._path = var / "up.lock"
        self._handle: int | None = None

    def take(self) -> bool:
        """Hold it. Returns False when somebody else does."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._handle = handle
        self.tell("")
        return True

    def tell(self, address: str) -> None:
        """Write down where the product is served."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"{os.getpid()} {address}".encode(), 0)

    def release(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def running(var: Path) -> Running | None:
    """Return the supervisor that runs from this folder, or None. A file left by a dead one counts for nothing."""
    try:
        handle = os.open(var / "up.lock", os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid, _, address = os.pread(handle, 1000, 0).decode().partition(" ")
        return Running(int(pid), address) if pid else None
    finally:
        os.close(handle)
    return None


def end(var: Path) -> Running | None:
    """Stop the supervisor of this folder, politely first, and wait until it is gone. Returns what ran, or None."""
    found = running(var)
    if found is None:
        return None
    os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while running(var) and time.monotonic() < deadline:
        time.sleep(0.05)
    if running(var):
        os.kill(found.pid, signal.SIGKILL)
    return found
