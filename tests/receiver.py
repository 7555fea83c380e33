"""A real local HTTP server that takes signed messages and keeps them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.serving import serving


@dataclass(frozen=True)
class Taken:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """Answers every POST with `status` and, when it redirects, with `location`."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port of the loopback."""
        self.taken: list[Taken] = []
        self.status, self.location = 204, ""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Return an address to post to."""
        return f"http://127.0.0.1:{self.server_port}/hook?a=1"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Keep the request, answer as told."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append(Taken(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Keep quiet."""


def receiving() -> AbstractContextManager[Receiver]:
    """Run a receiver for the time of a test."""
    return serving(Receiver())
