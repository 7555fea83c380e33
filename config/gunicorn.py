"""The web server's settings. How many processes: `--workers`, or WEB_CONCURRENCY where an operator sets it."""

from __future__ import annotations

import gc
from pathlib import Path

from config.logs import gunicorn_logging

#: Threads that give up a client which sends or reads too slowly.
worker_class = "config.patience.PatientWorker"
threads = 4
#: Files go through Python: what the system sends by itself has no time limit.
sendfile = False
#: A process that does not even take connections for so long is ended. What one thread does is not watched by it.
timeout = 60
graceful_timeout = 20
keepalive = 5
#: Where the processes tell each other they live; in memory where there is such a place, so that no disk stalls it.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
control_socket_disable = True
logconfig_dict = gunicorn_logging()


#: New objects after which Python looks for cycles. A card makes tens of thousands that die by themselves; at its own
#: 700 the looking costs a twentieth of a request.
OBJECTS_BETWEEN_COLLECTIONS = 10_000


def post_worker_init(_worker: object) -> None:
    """Leave what a process has loaded out of every collection: it never dies, and walking it holds a request up."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
