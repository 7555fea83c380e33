"""One process that is kept running: started, watched, started again when it dies, ended with all it started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

#: A process that lived this long was well: the next pause before a restart is short again.
WELL_AFTER_S = 60.0
PAUSE_FIRST_S, PAUSE_MAX_S = 0.5, 15.0
PR_SET_PDEATHSIG = 1


@dataclass
class Child:
    """A part of the product. It lives in a session of its own, so that a Ctrl-C reaches the supervisor alone."""

    name: str
    command: Sequence[str]
    log: Path
    pass_fds: tuple[int, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    restarts: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _started: float = 0.0
    _pause_s: float = PAUSE_FIRST_S
    _due: float = 0.0

    def start(self) -> None:
        """Start it; what it prints goes to its log."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as lines:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=lines,
                stderr=lines,
                pass_fds=self.pass_fds,
                start_new_session=True,
                env={**os.environ, **self.environment},
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        self._started = time.monotonic()

    @property
    def pid(self) -> int | None:
        """Return the running process, or None."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def tend(self) -> str:
        """Start it again when it died and its pause is over. Returns what happened in words, or ""."""
        now = time.monotonic()
        if self.pid is not None:
            return ""
        if self._process is not None:
            ended = _how_it_ended(self._process.returncode)
            self.end(signal.SIGKILL)  # what it had started may not work on beside its successor
            self._pause_s = PAUSE_FIRST_S if now - self._started > WELL_AFTER_S else min(self._pause_s * 2, PAUSE_MAX_S)
            self._due, self._process = now + self._pause_s, None
            return f"{self.name} {ended}; starting it again in {self._pause_s:g} s (log: {self.log})"
        if now < self._due:
            return ""
        self.restarts += 1
        self.start()
        return f"{self.name} is running again (restart {self.restarts})"

    def end(self, how: signal.Signals) -> None:
        """Signal it; a hard kill reaches everything it started."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            if how == signal.SIGKILL:
                os.killpg(self._process.pid, how)
            else:
                self._process.send_signal(how)


def _how_it_ended(code: int) -> str:
    return f"was killed ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"


def _die_with_parent() -> None:
    """Linux ends the process when the supervisor dies, even by kill -9: no worker is left that nobody watches."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
