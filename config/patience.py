"""How long the web server waits for a client that sends or reads slowly, so that a few of them take no thread for ever.

gunicorn's threaded worker reads and writes without a time limit: its `timeout` watches over the process, not over a
thread. Here each request has an allowance: some seconds, which waiting uses up and every byte that moves gives back,
never beyond what it began with. Only the time spent waiting for the client counts, not what the product itself takes.
A client that has used it up is gone.
"""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from config.env import env_int

#: Seconds a client may be waited for, at once or in sum, without anything that gives them back.
PATIENCE_S = env_int("CLIENT_PATIENCE_S", 20)
#: Slower than this is no client worth a thread; a telephone on the slowest network is ten times as fast.
LEAST_BYTES_PER_S = 500
#: Written at once: small enough that the allowance lasts for it at the least speed.
SLICE = 8 * 1024


class Paced(socket.socket):
    """A line that gives up a client slower than the allowance, as if the client had hung up."""

    _left_s = float(PATIENCE_S)

    @classmethod
    def over(cls, line: socket.socket) -> Paced:
        """Return the line with an allowance; what is one already stays as it is."""
        return line if isinstance(line, cls) else cls(fileno=line.detach())

    def begin(self) -> None:
        """Begin the allowance of another request."""
        self._left_s = float(PATIENCE_S)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Read as a socket does. Raises ConnectionResetError where the allowance is used up."""
        with self._allowed():
            data = super().recv(size, flags)
        self._give_back(len(data))
        return data

    def sendall(self, data: Any, flags: int = 0, /) -> None:  # noqa: ANN401 - whatever a socket takes
        """Write as a socket does. Raises ConnectionResetError where the allowance is used up."""
        view = memoryview(data).cast("B")
        for start in range(0, len(view), SLICE):
            part = view[start : start + SLICE]
            with self._allowed():
                super().sendall(part, flags)
            self._give_back(len(part))

    def _give_back(self, moved: int) -> None:
        self._left_s = min(PATIENCE_S, self._left_s + moved / LEAST_BYTES_PER_S)

    @contextmanager
    def _allowed(self) -> Iterator[None]:
        left = self._left_s
        if left <= 0:
            raise _gone()
        before = self.gettimeout()
        is_ours = before is None or left < before
        if is_ours:
            self.settimeout(left)
        began = time.monotonic()
        try:
            yield
        except TimeoutError:
            raise _gone() if is_ours else TimeoutError() from None
        finally:
            self._left_s -= time.monotonic() - began
            if is_ours:
                self.settimeout(before)


def _gone() -> ConnectionResetError:
    """Return what gunicorn and Django take for a client that hung up."""
    return ConnectionResetError(errno.ECONNRESET, "the client was too slow")


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, over lines with an allowance."""

    def handle(self, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """Handle one request."""
        conn.sock = Paced.over(conn.sock)
        conn.sock.begin()
        return super().handle(conn)
