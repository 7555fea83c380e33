"""Where a Chromium is, and how one is had: on the PATH, else Playwright's own, else Debian's when root.

`python -m tests.chromium` has one and prints its path; where none can be had it says why, and the browser tests are
skipped with a count (see tests/conftest.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

#: Why a browser test is skipped; the words by which the skips are counted.
MISSING = "no Chromium is here: put one on the PATH, set CHROMIUM to its path, or run `make browser` with a network"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """Return the path of a Chromium that is here, or None."""
    if named := os.environ.get("CHROMIUM"):
        return named if Path(named).exists() else None
    for name in NAMES:
        if found := shutil.which(name):
            return found
    return _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> str | None:
    """Try to get one: Playwright's, then, as root, Debian's. Returns its path or None."""
    _run([sys.executable, "-m", "playwright", "install", "chromium"])
    if (found := find()) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        _run(["apt-get", "update", "-qq"])
        _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"])
        found = find()
    return found


def _run(command: list[str]) -> None:
    sys.stderr.write(f"   $ {' '.join(command)}\n")
    subprocess.run(command, check=False, stdout=sys.stderr)


if __name__ == "__main__":
    sys.stdout.write((find() or install() or "none: the browser tests will be skipped, and counted") + "\n")
