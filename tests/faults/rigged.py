"""The product's own Celery application with a lexical judge that does what a question tells it to.

Run as `celery -A tests.faults.rigged worker`. Nothing of the product is replaced but the judge's reading and the
waits of a minute, which are scaled down. A question may say `[kill]`, `[kill once]` (the process that reads it dies
as if out of memory) or `[sleep 9]`. With `RIG_STUCK` set, a worker that stops stands still half-way.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from celery.signals import worker_init, worker_process_init

from config import stopping
from config.celery import app
from triage.core.judging import GroundingItem, PairScore
from triage.judges.lexical import LexicalGrounding

__all__ = ["app"]

#: Each reading takes this long, so that a fault can be put in the middle of a run.
READING_S = 0.05
LEASE_S = 5

_ground = LexicalGrounding.ground


def _rigged(self: LexicalGrounding, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
    for item in items:
        if "[kill]" in item.question or ("[kill once]" in item.question and _is_first(item.key)):
            os.kill(os.getpid(), signal.SIGKILL)
        if nap := re.search(r"\[sleep (\d+)\]", item.question):
            time.sleep(int(nap[1]))
    time.sleep(READING_S)
    return _ground(self, items)


def _is_first(key: str) -> bool:
    try:
        (Path(os.environ["RIG_FOLDER"]) / f"killed-{key}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


app.conf.worker_soft_shutdown_timeout = 3
stopping.GRACE_S = 5
LexicalGrounding.ground = _rigged  # type: ignore[method-assign]


@worker_process_init.connect
def _scale_down(**_: object) -> None:
    """In each process that works: a lost worker is noticed after seconds, not after a minute."""
    from triage.score import attempts
    from triage.tasks import leases

    attempts.LEASE_S = leases.LEASE_S = LEASE_S


@worker_init.connect
def _stand_still(sender: Any, **_: object) -> None:
    """Wait for ever where Celery waits for its tasks, on top of whatever the signal interrupted."""
    if "RIG_STUCK" in os.environ:
        sender.wait_for_soft_shutdown = threading.Event().wait
