"""Starts the product's parts, keeps them running, and stops them within seconds."""

from __future__ import annotations

import http.client
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from config.stack.child import Child

TEND_EVERY_S = 0.5
READY_TIMEOUT_S = 60.0
#: Parts get this long to finish what they do before they are killed: what is unfinished is in the database.
GRACE_S = 1.0

Say = Callable[[str], None]


def parts(var: Path, web_fd: int, worker_processes: int) -> list[Child]:
    """Return web, worker and beat as they run on a laptop."""
    python, logs = sys.executable, var / "log"
    celery = [python, "-m", "celery", "-A", "config"]
    web = [python, "-m", "gunicorn", "-c", "python:config.gunicorn", "--workers", "2", "--bind", f"fd://{web_fd}"]
    worker = [*celery, "worker", "--pool", "prefork", "--concurrency", str(worker_processes), "--loglevel", "INFO"]
    beat = [*celery, "beat", "--pidfile", "", "--loglevel", "INFO"]
    return [
        Child("web", [*web, "config.wsgi:application"], logs / "web.log", pass_fds=(web_fd,)),
        Child("worker", [*worker, "--without-gossip", "--without-mingle", "-n", "worker@%h"], logs / "worker.log"),
        Child("beat", beat, logs / "beat.log"),
    ]


class Supervisor:
    """Runs until told to stop. `mend` are looked after too: called now and then, each says what it mended, or ""."""

    def __init__(self, children: Sequence[Child], mend: Sequence[Callable[[], str]], say: Say) -> None:
        self._children, self._mend, self._say = children, mend, say
        self.is_stopping = False
        self._woken, self._wake = os.pipe()

    def watch_signals(self) -> None:
        """Stop at Ctrl-C, at a polite kill, and when the terminal goes away."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        """Set a flag and write to a pipe: an Event would deadlock, for the signal may come while its lock is held."""
        self.is_stopping = True
        os.write(self._wake, b"!")

    def _pause(self, seconds: float) -> bool:
        """Wait, at most so long. Returns whether to stop."""
        if not self.is_stopping:
            select.select([self._woken], [], [], seconds)
        return self.is_stopping

    def start(self) -> None:
        """Start every part."""
        for child in self._children:
            child.start()

    def run(self) -> None:
        """Tend the parts until told to stop."""
        while not self._pause(TEND_EVERY_S):
            for happened in [*(look() for look in self._mend), *(child.tend() for child in self._children)]:
                if happened:
                    self._say(happened)

    def wait_for_web(self, host: str, port: int) -> bool:
        """Wait until the web answers. Returns False when it does not, or when told to stop meanwhile."""
        deadline = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < deadline and not self._pause(0.1):
            if self._children[0].pid is None:
                return False
            with suppress(OSError, http.client.HTTPException):
                if _answers(host, port):
                    return True
        return False

    def stop(self) -> None:
        """End every part: politely, then, after a grace, hard. Work that was cut short is in the database."""
        for child in self._children:
            child.end(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        while any(child.pid for child in self._children) and time.monotonic() < deadline:
            time.sleep(0.05)
        for child in self._children:
            child.end(signal.SIGKILL)


def _answers(host: str, port: int) -> bool:
    line = http.client.HTTPConnection(host, port, timeout=5)
    try:
        line.request("GET", "/healthz", headers={"Host": "localhost"})
        return line.getresponse().status == http.client.OK
    finally:
        line.close()


def end_of(log: Path, lines: int = 15) -> str:
    """Return the last lines of a log."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(0, os.path.getsize(log) - 20_000))  # noqa: PTH202 - one call for both
        return "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
