"""Does one piece of work at a time in a process that is killed before its n-th commit.

Run as `python -m tests.faults.dying UPLOADS`. Each line of its input is an order, `{"work": "ingest" or "run_to_end",
"pk": ..., "commit": n}`; each line of its output says how that ended, `{"code": ..., "failed": ...}`. It forks for
each, so that starting Django is paid for once. A test must not fork itself: a lock that one of its threads holds at
that moment stays locked in the fork for ever.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

#: The leases of a lost worker run out at once.
LEASE_S = 0


def main() -> None:
    """Follow the orders until the input ends."""
    _set_up(Path(sys.argv[1]))
    for line in sys.stdin:
        print(json.dumps(_follow(**json.loads(line))), flush=True)  # noqa: T201 - this is its answer


def _set_up(uploads: Path) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.conf import settings

    from triage.score import attempts
    from triage.tasks import leases

    settings.UPLOAD_DIR = uploads
    settings.SCORE_BATCH_QUERIES = settings.CLASSIFY_BATCH_QUERIES = settings.INGEST_BATCH_QUERIES = 1
    leases.LEASE_S = attempts.LEASE_S = LEASE_S


def _follow(work: str, pk: int, commit: int) -> dict[str, object]:
    """Do the work in a fork; return its exit code, the signal negated where one ended it, and what it failed with."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reading)
        _work_and_die(_works()[work], pk, commit, writing)
    os.close(writing)
    with os.fdopen(reading) as told:
        failed = told.read()
    _, status = os.waitpid(child, 0)
    return {"code": os.waitstatus_to_exitcode(status), "failed": failed}


def _works() -> dict[str, Callable[[int], object]]:
    from triage.ingest import ingest
    from triage.tasks.inprocess import run_to_end

    return {"ingest": ingest, "run_to_end": run_to_end}


def _work_and_die(work: Callable[[int], object], pk: int, commit: int, writing: int) -> None:
    """In the fork: count the transactions and the single statements outside one, both commits of the database."""
    from django.db import connection
    from django.db.backends.postgresql.base import DatabaseWrapper

    seen = 0

    def commits() -> None:
        nonlocal seen
        seen += 1
        if seen == commit:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        if not context["connection"].in_atomic_block and not str(sql).lstrip().upper().startswith("SELECT"):
            commits()
        return execute(sql, params, many, context)

    commit_of = DatabaseWrapper._commit

    def committed(self: Any) -> None:
        commits()
        commit_of(self)

    try:
        DatabaseWrapper._commit = committed  # type: ignore[method-assign]
        with connection.execute_wrapper(counted):
            work(pk)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a fork must never go on to the next order
        os.write(writing, traceback.format_exc().encode())
        os._exit(1)


if __name__ == "__main__":
    main()
