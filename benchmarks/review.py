"""Measure the review screen: one reviewer's next and save, eight reviewers at once, in a database of its own.

Run from the root of the repository: `python -m benchmarks.review [QUERIES ...]`. Default: 1,000 and 10,000 failing
queries of 20 chunks and 4 claims; 100,000 take some minutes to make. Prints a Markdown table: server time of one
reviewer (the WSGI application called in this process, everything between request and response bytes), then eight
clients against two gunicorn processes with the clients on the same machine. "save" is a save whose next card the page
holds already, as it does in a browser; "ahead" is what fetched it; "save & next" answers with the next card.
Targets on two idle cores: p50 10 ms, p95 25 ms, 150 verdicts a second. PostgreSQL runs with durability on.
"""

from __future__ import annotations

import io
import platform
import re
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import quantiles
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import django

from tests import throwaway

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from labeling.models import ReviewSession

REVIEWERS, OVERLAP, ROUNDS, WARM, EACH = 8, 2, 5, 20, 60
#: Items that each of eight reviewers reads first: a web process that has answered nothing yet is no working day.
WARM_EACH = 10
FIELD = re.compile(r'<input type="hidden" name="(key|token|seen|insists|label)" value="([^"]*)"')
PLACE = re.compile(r'action="(/sessions/\w+/review/\d+/)"')
AHEAD = re.compile(r'data-ahead="([^"]+)"')
STEPS = ("next", "save", "ahead", "save & next", "save & reveal", "keep & next")


def fields(page: str) -> dict[str, str]:
    """Return the hidden fields of the decision form that a save needs."""
    head = page[page.index('id="decision-form"') :]
    found: dict[str, str] = {}
    for name, value in FIELD.findall(head):
        found.setdefault(name, value)
    return found


class Desk:
    """One reviewer who speaks WSGI to the application in this process."""

    def __init__(self, application: Callable[..., Any], user: User, session: ReviewSession) -> None:
        from django.test import Client

        client = Client()
        client.force_login(user)
        self.application, self.session = application, session
        self.cookies = {name: morsel.value for name, morsel in client.cookies.items()}
        self.page = ""
        self.kept = ("", "")

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, ahead: str = "") -> float:
        """Send one request, keep the page, and return its milliseconds; `ahead` = the seat whose card is at hand."""
        body = urlencode({**form, "csrfmiddlewaretoken": self.cookies["csrftoken"]}).encode() if form else b""
        environ = {
            "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": "", "SERVER_NAME": "localhost",
            "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "localhost", "HTTP_HX_REQUEST": "true",
            "HTTP_X_AHEAD": ahead,
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr,
            "wsgi.version": (1, 0), "wsgi.multithread": True, "wsgi.multiprocess": True, "wsgi.run_once": False,
        }  # fmt: skip
        told: dict[str, Any] = {}

        def start(status: str, headers: list[tuple[str, str]], _: object = None) -> None:
            told.update(status=status, headers=headers)

        began = time.perf_counter()
        answer = self.application(environ, start)
        page = b"".join(answer)
        answer.close()
        took = (time.perf_counter() - began) * 1000
        assert told["status"].startswith("200"), (told, page[:300])
        for name, value in told["headers"]:
            if name == "Set-Cookie":
                key, _, rest = value.strip().partition("=")
                self.cookies[key] = rest.partition(";")[0]
        self.page, self.told = page.decode(), dict(told["headers"])
        return took

    def next(self) -> float:
        """Ask for the next item of the session."""
        return self.ask("GET", f"/sessions/{self.session.key}/review/")

    def save(self, **said: str) -> float:
        """Save the item at hand."""
        place = PLACE.search(self.page)
        assert place, self.page[:300]
        return self.ask("POST", place[1], {**fields(self.page), **said})

    def ahead(self) -> float:
        """Fetch the card of the item after this one, as the page does while its reviewer reads."""
        here, place = self.page, AHEAD.search(self.page)
        assert place, here[:300]
        took = self.ask("GET", place[1])
        self.kept, self.page = (self.told["X-Ahead"], self.page), here
        return took

    def save_alone(self, **said: str) -> float:
        """Save the item at hand when the next card is there: the answer is the bar, the page shows what it kept."""
        seat, card = self.kept
        place = PLACE.search(self.page)
        assert place, self.page[:300]
        took = self.ask("POST", place[1], {**fields(self.page), **said}, seat)
        assert self.told["X-Review"] == "ahead", self.told
        self.page = card
        return took


def one_reviewer(
    application: Callable[..., Any], sessions: list[ReviewSession], people: list[User]
) -> dict[str, list[float]]:
    """Return the milliseconds of each step: of a session shown openly, without and with cards ahead; of a blind one.

    A person for each: whoever judges a query in one session makes their own open page of it in the other stale.
    """
    openly, unseen = sessions
    shown, quick, blind = (
        Desk(application, user, session) for user, session in zip(people, (openly, openly, unseen), strict=True)
    )
    took: dict[str, list[float]] = {step: [] for step in STEPS}
    for desk in (shown, quick, blind):
        desk.next()
    for turn in range(WARM + EACH):
        times = {
            "next": shown.next(),
            "ahead": quick.ahead(),
            "save": quick.save_alone(label="still_wrong"),
            "save & next": shown.save(label="still_wrong"),
            "save & reveal": blind.save(label="still_wrong"),
            "keep & next": blind.save(),
        }
        if turn >= WARM:
            for name, ms in times.items():
                took[name].append(ms)
    took["bytes"] = [float(len(shown.page))]
    return took


def show(name: str, queries: int, rounds: list[list[float]]) -> None:
    """Print one row: the median and the 95th percentile of each round, their middle and spread."""
    cuts = [quantiles(each, n=20, method="inclusive") for each in rounds]
    halves, most = sorted(cut[9] for cut in cuts), sorted(cut[18] for cut in cuts)
    middle = len(cuts) // 2
    cells = [f"{line[middle]:.1f} ({line[0]:.1f}–{line[-1]:.1f})" for line in (halves, most)]
    print(f"| {name} | {queries:,} | {cells[0]} | {cells[1]} | {sum(map(len, rounds))} |", flush=True)


def crowd(session: ReviewSession, people: list[User], port: int, wanted: int) -> tuple[float, list[float], int]:
    """Let eight reviewers read this many items each; return verdicts a second, waits in ms, and doubled verdicts."""
    from benchmarks.review_client import Reader
    from labeling.models import Verdict

    readers = [Reader.logged_in(person, session.key, port) for person in people]
    with ThreadPoolExecutor(len(readers)) as pool:
        list(pool.map(lambda reader: reader.read(WARM_EACH), readers))
        before = Verdict.objects.count()
        began = time.perf_counter()
        waits = [wait for each in pool.map(lambda reader: reader.read(wanted), readers) for wait in each]
    seconds = time.perf_counter() - began
    return (Verdict.objects.count() - before) / seconds, waits, doubled(session)


def doubled(session: ReviewSession) -> int:
    """Return how many verdicts there are beyond the overlap, or twice by one person."""
    from collections import Counter

    from labeling.models import Verdict

    rows = list(Verdict.objects.filter(item__session=session, is_current=True).values_list("query", "reviewer"))
    over = sum(max(count - OVERLAP, 0) for count in Counter(query for query, _ in rows).values())
    return over + len(rows) - len(set(rows))


def main(sizes: list[int]) -> None:
    """Print the tables."""
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.db import connection

    from benchmarks.review_client import served
    from benchmarks.review_rows import make_read_run, make_reviewers, make_sessions
    from config.gunicorn import post_worker_init

    call_command("migrate", verbosity=0)
    application = get_wsgi_application()
    post_worker_init(None)  # as a web process is set
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        server = cursor.fetchone()[0]
    print(f"Python {platform.python_version()}, Django {django.__version__}, PostgreSQL {server}\n")
    print("| one reviewer | queries | p50 ms (least–most of 5 rounds) | p95 ms | requests |\n|---|---|---|---|---|")
    runs = [make_read_run(queries) for queries in sizes]
    for run, queries in zip(runs, sizes, strict=True):
        sessions = make_sessions(run, OVERLAP, 0.0, 1.0)
        rounds = [one_reviewer(application, sessions, make_reviewers(run.project, 3)) for _ in range(ROUNDS)]
        for name in STEPS:
            show(name, queries, [each[name] for each in rounds])
    print("\n| eight reviewers | queries | verdicts/s | p50 ms | p95 ms | doubled |\n|---|---|---|---|---|---|")
    with served() as port:
        for run, queries in zip(runs, sizes, strict=True):
            for _ in range(3):
                (session,) = make_sessions(run, OVERLAP, 0.0)
                rate, waits, twice = crowd(session, make_reviewers(run.project, REVIEWERS), port, EACH)
                cut = quantiles(waits, n=20)
                print(
                    f"| save & next | {queries:,} | {rate:.0f} | {cut[9]:.0f} | {cut[18]:.0f} | {twice} |", flush=True
                )


if __name__ == "__main__":
    var = throwaway.start(durable=True)
    try:
        django.setup()
        main([int(size) for size in sys.argv[1:]] or [1_000, 10_000])
    finally:
        throwaway.stop(var)
