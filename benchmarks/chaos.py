"""Kill, restart and wipe every part at random while people label and files come in, then count what was lost.

Run from the root of the repository: `python -m benchmarks.chaos [MINUTES] [SEED] [EVERY_S]`. Default: 15 minutes, seed
1, something breaks every 20 s. Real processes on a database of their own with durability on: two web servers, two
workers, beat, PostgreSQL, Valkey. Eight reviewers read a session over HTTP, each item twice, a thought between two
saves; every 15 s a file comes in and is imported, scored and classified. Whatever was killed is started again, as a
supervisor would. At the end nothing is killed any more, what is under way may finish, and the rows are counted: every
save that was answered must be there once, every file must be a finished run, and `manage.py verify` must be clean.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import django

R = TypeVar("R")

if TYPE_CHECKING:
    from triage.models import Project, Run

ROOT = Path(__file__).resolve().parent.parent
REVIEWERS, OVERLAP = 8, 2
#: Seconds a reviewer thinks, between two files, and what is still waited for at the end.
THINKS_S, FILE_EVERY_S, SETTLES_S = (1.0, 3.0), 15.0, 300.0
#: Queries of the session for each minute: more than eight people read.
ITEMS_A_MINUTE, QUERIES_A_FILE = 120, 30


class Stack:
    """The processes under fire: so many web servers, as many workers, and beat."""

    def __init__(self, var: Path, each: int = 2) -> None:
        from tests.faults.test_reviewers import free_port

        self.var = var
        self.ports = tuple(free_port() for _ in range(each))
        self.parts: dict[str, subprocess.Popen[bytes]] = {}
        self.over = False
        self._words = {
            **{
                f"web {number}": ["gunicorn", "-c", "python:config.gunicorn", "--workers", "1", "--bind",
                                  f"127.0.0.1:{port}", "config.wsgi"]
                for number, port in enumerate(self.ports, 1)
            },
            **{
                f"worker {number}": ["celery", "-A", "config", "worker", "--concurrency", "1", "--without-gossip",
                                     "-n", f"{number}@%h"]
                for number in range(1, each + 1)
            },
            "beat": ["celery", "-A", "config", "beat", "--pidfile", "", "--schedule", str(var / "schedule")],
        }  # fmt: skip

    def start(self, name: str) -> None:
        """Start a part with a process group of its own."""
        with (self.var / f"{name.replace(' ', '-')}.log").open("ab") as log:
            self.parts[name] = subprocess.Popen(
                [sys.executable, "-m", *self._words[name]],
                cwd=ROOT,
                env={**os.environ, "REMAP_SIGTERM": "SIGQUIT"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def start_all(self) -> None:
        """Start every part."""
        for name in self._words:
            self.start(name)

    def supervise(self) -> None:
        """Start again whatever has ended, until it is over."""
        while not self.over:
            for name, part in list(self.parts.items()):
                if part.poll() is not None and not self.over:
                    self.start(name)
            time.sleep(0.5)

    def signal(self, kind: str, chance: random.Random, how: signal.Signals) -> str:
        """Signal a part of a kind, with all it started when it is killed; return its name."""
        name = chance.choice([name for name in self.parts if name.startswith(kind)])
        with suppress(ProcessLookupError):
            if how is signal.SIGKILL:
                os.killpg(self.parts[name].pid, how)
            else:
                self.parts[name].send_signal(how)
        return name

    def end(self) -> None:
        """End everything."""
        self.over = True
        for part in self.parts.values():
            with suppress(ProcessLookupError):
                os.killpg(part.pid, signal.SIGKILL)
            part.wait()


class Person:
    """A reviewer who does not give up: a save that was not answered is sent again as it was, to any web server."""

    thinks_s = THINKS_S

    def __init__(self, number: int, cookie: str, session: str, stack: Stack) -> None:
        from django.conf import settings

        self._cookies = {settings.SESSION_COOKIE_NAME: cookie}
        self._session, self._stack = session, stack
        self._chance = random.Random(number)
        self.answered: dict[str, str] = {}
        self.retries = 0
        self.statuses: Counter[int] = Counter()
        self.waits: list[float] = []

    def read(self, until: Callable[[], bool]) -> None:
        """Label until it is over or nothing is left."""
        from tests.labeling.screens import fields_of

        page = self._ask("GET", f"/sessions/{self._session}/review/", None)
        while not until() and 'data-state="empty"' not in page:
            form, place = fields_of(page), _place(page)
            if place is None:
                page = self._ask("GET", f"/sessions/{self._session}/review/", None)
                continue
            is_new = 'data-state="revealed"' not in page
            if is_new:
                time.sleep(self._chance.uniform(*self.thinks_s))
                form |= {"label": self._chance.choice(("retrieval_miss", "still_wrong")), "insists": "1"}
            began = time.monotonic()
            page = self._ask("POST", place, form)
            self.waits.append(time.monotonic() - began)
            if is_new and self._last == 200:
                self.answered[form["key"]] = form["label"]

    def _ask(self, method: str, path: str, form: dict[str, str] | None) -> str:
        for _ in range(2_000):
            try:
                return self._send(method, path, form)
            except (OSError, HTTPException):
                self.retries += 1
                time.sleep(0.3)
        raise AssertionError(f"no answer from {path}")

    def _send(self, method: str, path: str, form: dict[str, str] | None) -> str:
        from urllib.parse import urlencode

        token = {"csrfmiddlewaretoken": self._cookies.get("csrftoken", "")}
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
            "HX-Request": "true",
        }
        body = None if form is None else urlencode(form | token)
        with closing(HTTPConnection("127.0.0.1", self._chance.choice(self._stack.ports), timeout=20)) as talk:
            talk.request(method, path, body, headers)
            answer = talk.getresponse()
            page = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self._cookies[name] = value
        self._last = answer.status
        self.statuses[answer.status] += 1
        if answer.status == 302:
            return self._send("GET", answer.headers["Location"], None)
        if answer.status >= 500:
            raise HTTPException(f"{answer.status}")
        if answer.status == 409:  # told that the page is old: look again, as a person does
            return self._send("GET", f"/sessions/{self._session}/review/", None)
        return page


def _place(page: str) -> str | None:
    import re

    found = re.search(r'action="(/sessions/\w+/review/\d+/)"', page)
    return found[1] if found else None


def file_of(name: str, queries: int) -> bytes:
    """Return a run file of failing queries, each with two chunks and two claims."""
    head = {"kind": "run", "name": name, "config": {"k": 2}}
    lines = [head, *(_failing(name, number) for number in range(1, queries + 1))]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _failing(name: str, number: int) -> dict[str, object]:
    return {
        "id": f"q{number}",
        "question": f"What colour has lamp {number} of {name}?",
        "answer": f"Lamp {number} is red. It is made of brass.",
        "retrieved": [{"id": f"{name} {number} {part}", "text": f"Lamp {number} {part}."} for part in "ab"],
        "gold": [f"{name} {number} a"],
        "claims": [f"Lamp {number} is red.", f"Lamp {number} is made of brass."],
        "correct": False,
    }


def steady(act: Callable[[], R]) -> R:
    """Do something with the database until it is there to do it."""
    from django.db import DatabaseError, InterfaceError, connection

    for _ in range(600):
        try:
            return act()
        except (DatabaseError, InterfaceError):
            connection.close()
            time.sleep(0.3)
    raise AssertionError("the database stays away")


def bring_in(project: Project, over: Callable[[], bool], brought: list[int]) -> None:
    """Let a file come in every FILE_EVERY_S."""
    from django.db import connection

    from triage.intake import store
    from triage.tasks import ingest_soon

    try:
        while not over():
            name = f"file {len(brought) + 1}"
            upload = steady(lambda name=name: store(project, None, name, [file_of(name, QUERIES_A_FILE)]))  # type: ignore[misc]
            brought.append(upload.pk)
            ingest_soon(upload.pk)
            time.sleep(FILE_EVERY_S)
    finally:
        connection.close()


def faults(stack: Stack, chance: random.Random) -> dict[str, Callable[[], object]]:
    """Return what may happen."""
    return {
        "web killed": lambda: stack.signal("web", chance, signal.SIGKILL),
        "web restarted": lambda: stack.signal("web", chance, signal.SIGTERM),
        "worker killed": lambda: stack.signal("worker", chance, signal.SIGKILL),
        "worker restarted": lambda: stack.signal("worker", chance, signal.SIGTERM),
        "beat killed": lambda: stack.signal("beat", chance, signal.SIGKILL),
        "queue wiped": lambda: _wipe(stack.var),
        "queue killed": lambda: _kill_queue(stack.var),
        "PostgreSQL killed": lambda: _kill_database(stack.var, signal.SIGKILL),
        "PostgreSQL restarted": lambda: _kill_database(stack.var, signal.SIGQUIT),
    }


def _wipe(var: Path) -> None:
    from redis import Redis, RedisError

    from config.embedded import valkey

    with suppress(RedisError), Redis.from_url(valkey.redis_py_url(var)) as queue:
        queue.flushall()


def _kill_queue(var: Path) -> None:
    from config.embedded import places, valkey

    for pid in places.living(valkey.data_folder(var), valkey.PROGRAM):
        os.kill(pid, signal.SIGKILL)
    time.sleep(1)
    valkey.ensure(var)


def _kill_database(var: Path, how: signal.Signals) -> None:
    from config.embedded import postgres

    os.kill(int((postgres.data_folder(var) / "postmaster.pid").read_text().split()[0]), how)
    time.sleep(1)
    postgres.ensure(var)


def chaos(minutes: float, seed: int, every_s: float) -> int:
    """Run it all in this folder, print the figures, and return how many promises were broken."""
    from django.conf import settings

    stack, chance = Stack(settings.VAR_DIR), random.Random(seed)
    project, session, people = seated(stack, max(200, int(minutes * ITEMS_A_MINUTE)))
    stack.start_all()
    threading.Thread(target=stack.supervise, daemon=True).start()
    brought: list[int] = []
    end = time.monotonic() + minutes * 60
    happened: Counter[str] = Counter()
    try:
        with ThreadPoolExecutor(REVIEWERS + 1) as pool:
            work = [pool.submit(person.read, lambda: time.monotonic() > end) for person in people]
            work.append(pool.submit(bring_in, project, lambda: time.monotonic() > end, brought))
            able = faults(stack, chance)
            while time.monotonic() + every_s < end:
                time.sleep(every_s)
                what = chance.choice(sorted(able))
                able[what]()
                happened[what] += 1
                print(f"- {minutes * 60 - (end - time.monotonic()):4.0f} s: {what}", flush=True)
            for each in work:
                each.result()
        settled_s = settle(project)
        done = ", ".join(f"{times} x {what}" for what, times in happened.items())
        print(f"\n{minutes:g} minutes, seed {seed}. Done to it: {done}.")
        return tell(people, session, brought, settled_s)
    finally:
        stack.end()


def seated(stack: Stack, items: int) -> tuple[Project, str, list[Person]]:
    """Import the run people read, make its session, and seat them."""
    from labeling.worklist import Wish, make_session
    from tests.factories import make_member, make_project
    from tests.faults.test_reviewers import cookie_of
    from triage.ingest import ingest
    from triage.intake import store
    from triage.models import Role
    from triage.tasks.inprocess import run_to_end

    project = make_project(name="Under fire", judge_order=["lexical"])
    upload = ingest(store(project, None, "read.jsonl", [file_of("read", items)]).pk)
    assert upload.run_id is not None, upload.reason
    run = run_to_end(upload.run_id)
    session = make_session(run, None, Wish(name="Read twice", how="all", overlap=OVERLAP)).key
    make_member(project, Role.OWNER)
    users = [make_member(project, Role.REVIEWER) for _ in range(REVIEWERS)]
    return project, session, [Person(number, cookie_of(user), session, stack) for number, user in enumerate(users)]


def settle(project: Project) -> float:
    """Wait until nothing is under way any more, and return for how long."""
    from triage.models import Run, Upload

    began = time.monotonic()
    while time.monotonic() - began < SETTLES_S:
        files = steady(lambda: Upload.objects.unfinished().filter(project=project).count())
        runs = steady(lambda: Run.objects.unfinished().filter(project=project).count())
        if not files + runs:
            break
        time.sleep(1)
    return time.monotonic() - began


def _is_right(run: Run | None) -> bool:
    """Say whether a run that came in the middle of it is finished and whole."""
    from triage.models import Scoring, Suggestion

    if run is None or run.state != "done" or run.queries.count() != QUERIES_A_FILE:
        return False
    scored = Scoring.objects.filter(query__run=run, done_at__isnull=False, quarantined="").count()
    labels = Suggestion.objects.filter(query__run=run, is_current=True).count()
    return scored == labels == QUERIES_A_FILE


def tell(people: list[Person], session: str, brought: list[int], settled_s: float) -> int:
    """Count what became of every save and every file, print it, and return how many promises were broken."""
    from labeling.models import Verdict
    from triage.models import Upload

    kept = dict(Verdict.objects.filter(item__session__key=session).values_list("idempotency_key", "label"))
    words = {str(key): label for key, label in kept.items()}
    answered = {key: label for person in people for key, label in person.answered.items()}
    lost = [key for key, label in answered.items() if words.get(key) != label]
    rows = Counter(
        Verdict.objects.filter(item__session__key=session, stage="first", withdrawn=False).values_list(
            "query", "reviewer"
        )
    )
    doubled = sum(times - 1 for times in rows.values())
    beyond = sum(times > OVERLAP for times in Counter(query for query, _ in rows).values())
    wrong = [upload for upload in Upload.objects.filter(pk__in=brought) if not _is_right(upload.run)]
    verify = subprocess.run(
        [sys.executable, "manage.py", "verify"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    waits = sorted(wait for person in people for wait in person.waits)
    statuses: Counter[int] = sum((person.statuses for person in people), Counter())
    print("\n| what | figure |\n|---|---|")
    for what, figure in {
        "saves answered as saved": f"{len(answered):,}",
        "of those lost": len(lost),
        "first verdicts doubled": doubled,
        "items read beyond their overlap": beyond,
        "requests sent again": sum(person.retries for person in people),
        "answers": ", ".join(f"{status}: {times:,}" for status, times in sorted(statuses.items())),
        "save, median and longest wait, s": f"{statistics.median(waits):.2f}, {waits[-1]:.1f}",
        "files that came, runs not in the right state": f"{len(brought)}, {len(wrong)}",
        "until nothing was under way, s": f"{settled_s:.0f}",
        "manage.py verify": "clean" if verify.returncode == 0 else "BROKEN",
    }.items():
        print(f"| {what} | {figure} |")
    for upload in wrong:
        run = upload.run
        print(f"- {upload.file_name}: {upload.state} {upload.reason}; {run and (run.state, run.state_reason)}")
    if verify.returncode:
        print("\n".join(line for line in (verify.stdout + verify.stderr).splitlines() if not line.startswith("ok")))
    return len(lost) + doubled + beyond + len(wrong) + (verify.returncode != 0)


def in_a_folder(work: Callable[[], int]) -> int:
    """Make a folder with a database for it all, do it, and leave nothing behind."""
    from config import embedded
    from tests.throwaway import FOREIGN

    for name in FOREIGN:
        os.environ.pop(name, None)
    var = Path(tempfile.mkdtemp(prefix="rag-triage-chaos-"))
    var.chmod(0o755)
    os.environ |= {"RAG_TRIAGE_VAR": str(var), "DJANGO_SETTINGS_MODULE": "config.settings"}
    try:
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        return work()
    finally:
        embedded.stop(var)
        shutil.rmtree(var, ignore_errors=True)


def main(minutes: float = 15, seed: int = 1, every_s: float = 20) -> int:
    """Break things for so long."""
    return in_a_folder(lambda: chaos(minutes, seed, every_s))


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    sys.exit(min(1, main(*given[:1], *map(int, given[1:2]), *given[2:3])))
