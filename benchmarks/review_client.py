"""Reviewers as HTTP clients of real web processes, as light as they can be: they share the cores with the server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from urllib.parse import quote, urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

TOKEN = re.compile(rb'name="(key|token|seen)" value="([^"]*)"')
PLACE = re.compile(rb'action="(/sessions/\w+/review/\d+/)"')


class Reader:
    """One person at an open session: each save answers with the next item."""

    def __init__(self, cookies: dict[str, str], session: str, port: int) -> None:
        self._cookies, self._session = cookies, session
        self._talk = HTTPConnection("127.0.0.1", port, timeout=60)

    @classmethod
    def logged_in(cls, user: User, session: str, port: int) -> Reader:
        """Return a reader with this person's cookie."""
        client = Client()
        client.force_login(user)
        return cls({name: morsel.value for name, morsel in client.cookies.items()}, session, port)

    def read(self, items: int) -> list[float]:
        """Read this many items; return the milliseconds from each save to its answer."""
        waits, page = [], self._ask("GET", f"/sessions/{self._session}/review/", "")
        for _ in range(items):
            at = page.index(b'id="decision-form"')
            found, place = dict(TOKEN.findall(page[at : at + 3_000])), PLACE.search(page, at - 300)
            assert place
            form = {name.decode(): value.decode() for name, value in found.items()}
            body = urlencode({**form, "label": "still_wrong", "csrfmiddlewaretoken": self._cookies["csrftoken"]})
            began = time.perf_counter()
            page = self._ask("POST", place[1].decode(), body)
            waits.append((time.perf_counter() - began) * 1000)
        self._talk.close()
        return waits

    def _ask(self, method: str, path: str, body: str) -> bytes:
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
            "HX-Request": "true",
        }
        self._talk.request(method, path, body, headers)
        answer = self._talk.getresponse()
        page = answer.read()
        assert answer.status == 200, (answer.status, page[:300])
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self._cookies[name] = value
        return page


@contextmanager
def served(workers: int = 2) -> Iterator[int]:
    """Serve this process's database with gunicorn as the product does; yield the port."""
    database = connection.settings_dict
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port: int = probe.getsockname()[1]
    environment = {
        **os.environ,
        "DATABASE_URL": f"postgresql://postgres@/{database['NAME']}?host={quote(str(database['HOST']))}",
        "SECRET_KEY": settings.SECRET_KEY,
    }
    command = [sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "--workers", str(workers)]
    web = subprocess.Popen([*command, "--bind", f"127.0.0.1:{port}", "config.wsgi"], env=environment)
    try:
        for _ in range(100):
            try:
                with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as talk:
                    talk.request("GET", "/login/")
                    talk.getresponse().read()
                    break
            except OSError:
                time.sleep(0.2)
        yield port
    finally:
        web.terminate()
        web.wait(30)
