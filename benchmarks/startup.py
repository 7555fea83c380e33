"""Measure how long a person waits: `python -m benchmarks.startup` from the root of the repository.

A new folder, `manage.py up`, the first page, Ctrl-C; then the same folder once more. The target on two idle cores is a
first page within 10 s of set-up, and a stop within 5 s.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from config import embedded

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Measure twice in one folder, print a line each, leave nothing."""
    with tempfile.TemporaryDirectory(prefix="rag-triage-startup-") as folder:
        Path(folder).chmod(0o755)
        var = Path(folder) / "var"
        try:
            for label in ("new folder", "second start"):
                print(f"{label:<14}" + once(var))
        finally:
            embedded.stop(var)


def once(var: Path) -> str:
    """Start, read a page, stop; return the seconds each took."""
    began = time.monotonic()
    up = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", "18900"],
        cwd=ROOT,
        env={**os.environ, "RAG_TRIAGE_VAR": str(var)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert up.stdout is not None
    said = ""
    while "Logs: " not in said:
        said += up.stdout.readline()
    ready = time.monotonic()
    address = re.search(r"Open\s+(\S+)", said)
    assert address
    with urllib.request.urlopen(address[1], timeout=10) as page:
        page.read()
    read = time.monotonic()
    up.send_signal(signal.SIGINT)
    up.communicate()
    stopped = time.monotonic()
    return f"ready {ready - began:4.1f} s   first page {read - ready:4.2f} s   stop {stopped - read:4.1f} s"


if __name__ == "__main__":
    main()
