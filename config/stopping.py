"""A worker that was told to stop is gone in time, even where Celery's own way of stopping stands still.

Celery stops inside the signal's handler, on top of whatever the process was doing: if that held a lock or was half
through a conversation with the queue, stopping may wait for ever. Work that such a worker still holds is leased, so
another one takes it up.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from types import FrameType
from typing import Any

from celery import bootsteps

#: Seconds that stopping may take after the soft shutdown's own wait. Both together stay below compose's grace period.
GRACE_S = 10


class StopInTime(bootsteps.StartStopStep):  # type: ignore[misc]
    """Sets a clock when the worker is told to stop: if it runs out, every thread's place is printed and it is gone."""

    def start(self, worker: Any) -> None:  # noqa: ANN401 - Celery's own signature
        """Stand before Celery's handlers of the signals that stop at once; a warm stop may take as long as it likes."""
        if threading.current_thread() is not threading.main_thread():
            return  # a worker inside another program: its signals are not ours
        limit_s = worker.app.conf.worker_soft_shutdown_timeout + GRACE_S
        _watch(signal.SIGQUIT, limit_s)
        if os.environ.get("REMAP_SIGTERM") == "SIGQUIT":
            _watch(signal.SIGTERM, limit_s)


def _watch(number: signal.Signals, limit_s: float) -> None:
    celery = signal.getsignal(number)
    if not callable(celery):
        return

    def stop(received: int, frame: FrameType | None) -> None:
        # The clock is C: it needs no lock that the interrupted code may hold. The pool's processes die with this one.
        faulthandler.dump_traceback_later(limit_s, exit=True, file=2)
        celery(received, frame)

    signal.signal(number, stop)
