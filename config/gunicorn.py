"""The web server's settings. How many processes: `--workers`, or WEB_CONCURRENCY where an operator sets it."""

from __future__ import annotations

from pathlib import Path

from config.logs import gunicorn_logging

worker_class = "gthread"
threads = 4
#: A thread that is busy this long is given up: a request may not hang the process.
timeout = 60
graceful_timeout = 20
keepalive = 5
#: Where the processes tell each other they live; in memory where there is such a place, so that no disk stalls it.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
control_socket_disable = True
logconfig_dict = gunicorn_logging()
