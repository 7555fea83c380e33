"""A real local HTTP server that speaks, and misspeaks, as a chat endpoint."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What the server does with a request: (handler, number of the request from 1, body).
Behaviour = Callable[["Handler", int, dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Hands every request to the behaviour of its server."""

    server: Server

    def do_POST(self) -> None:
        """Read the request and let the behaviour answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            number = len(self.server.bodies)
        self.server.behaviour(self, number, body)

    def send(self, status: int, body: str, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """Send an answer; `length` may lie."""
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Keep quiet."""


class Server(ThreadingHTTPServer):
    """Remembers every request body."""

    daemon_threads = True

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviour = behaviour
        self.bodies: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def endpoint(self) -> str:
        """Return the base address."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no fault of the server's."""


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[Server]:
    """Serve until the block ends."""
    server = Server(behaviour)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def completion(content: str | None) -> str:
    """Return a chat completion whose message says `content`."""
    message = {"role": "assistant", "content": content}
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129},
        }
    )


def verdict(word: str = "supported", support: object = 0.9) -> str:
    """Return the JSON the judge asks for."""
    return json.dumps({"verdict": word, "support": support})


def says(content: str | None) -> Behaviour:
    """Always answer with this message."""
    return lambda handler, _, __: handler.send(200, completion(content))


def fails_then_says(times: int, fail: Behaviour, content: str) -> Behaviour:
    """Misbehave for the first requests, then answer."""

    def behave(handler: Handler, number: int, body: dict[str, Any]) -> None:
        if number <= times:
            fail(handler, number, body)
        else:
            handler.send(200, completion(content))

    return behave


def status(code: int, headers: dict[str, str] | None = None) -> Behaviour:
    """Answer with an HTTP error."""
    return lambda handler, _, __: handler.send(code, '{"error": {"message": "not now"}}', headers)


def cut_stream(handler: Handler, _: int, __: dict[str, Any]) -> None:
    """Promise more than is sent, then hang up."""
    handler.send(200, completion(verdict())[:40], length=4000)
    handler.connection.close()


def silence(seconds: float) -> Behaviour:
    """Say nothing for a while."""
    return lambda handler, _, __: time.sleep(seconds)
