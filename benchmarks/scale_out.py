"""Let 2 web servers and 2 workers, then 4 and 4, work against one PostgreSQL and one Redis, and count what came of it.

Run from the root of the repository: `python -m benchmarks.scale_out [EACH ...] [--seconds S]`. Default: 2 and 4, for 30
seconds each, on a database of its own with durability on. Eight reviewers label without a thought over HTTP, each item
twice, and every request goes to any web server; twelve files lie in the queue from the beginning. At the end every save
that was answered must be there once, every file must be a finished run with every query scored and filed once, and
`manage.py verify` must be clean: no process may depend on being the only one. What it carries is printed beside it; on
a machine with fewer cores than processes that says what one machine gives, not what several would.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.request import urlopen

from benchmarks.chaos import (
    ITEMS_A_MINUTE,
    QUERIES_A_FILE,
    ROOT,
    Person,
    Stack,
    file_of,
    in_a_folder,
    seated,
    settle,
    tell,
)

EACH, SECONDS, FILES = (2, 4), 30.0, 12
#: Without thinking, people read this many times as much as those of the chaos run.
HASTE = 6


def loaded(each: int, seconds: float) -> int:
    """Let so many of each work for so long; return how many promises were broken."""
    from django.conf import settings

    from triage.intake import store
    from triage.models import Upload
    from triage.tasks import ingest_soon

    Person.thinks_s = (0.0, 0.0)
    stack = Stack(settings.VAR_DIR, each)
    project, session, people = seated(stack, max(200, int(seconds / 60 * ITEMS_A_MINUTE * HASTE)))
    names = [f"file {number}" for number in range(1, FILES + 1)]
    brought = [store(project, None, name, [file_of(name, QUERIES_A_FILE)]).pk for name in names]
    stack.start_all()
    try:
        for port in stack.ports:
            wait_for(port)
        began = time.monotonic()
        for upload in brought:
            ingest_soon(upload)
        with ThreadPoolExecutor(len(people)) as pool:
            list(pool.map(lambda person: person.read(lambda: time.monotonic() > began + seconds), people))
        settled_s = settle(project)
        print(f"\n## {each} web servers, {each} workers, {seconds:g} s")
        broken = tell(people, session, brought, settled_s)
        saves = sum(len(person.answered) for person in people)
        last = max(run.finished_at for run in (each.run for each in Upload.objects.filter(pk__in=brought)) if run)
        first = min(each.started_at for each in Upload.objects.filter(pk__in=brought))
        took = (last - first).total_seconds()
        print(f"| saves a second | {saves / seconds:.1f} |")
        print(f"| queries imported, scored and filed a second | {FILES * QUERIES_A_FILE / took:.1f} |", flush=True)
        return broken
    finally:
        stack.end()


def wait_for(port: int) -> None:
    """Wait until a web server answers: starting is no part of what is measured."""
    for _ in range(600):
        with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
            return
        time.sleep(0.2)
    raise SystemExit(f"nothing answers on port {port}")


def main(arguments: list[str]) -> int:
    """Measure each number in a process of its own: settings name one database for as long as a process lives."""
    at = arguments.index("--seconds") if "--seconds" in arguments else len(arguments)
    seconds = float(arguments[at + 1]) if at < len(arguments) else SECONDS
    numbers = [int(word) for word in arguments[:at]] or list(EACH)
    if len(numbers) == 1:
        return min(1, in_a_folder(lambda: loaded(numbers[0], seconds)))
    again = [sys.executable, "-m", "benchmarks.scale_out"]
    return max(subprocess.call([*again, str(each), "--seconds", str(seconds)], cwd=ROOT) for each in numbers)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
