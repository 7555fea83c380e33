"""Adapters from files to records: each knows one format and nothing of databases or paths."""

from __future__ import annotations

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.formats.errors import FileError
from triage.formats.run_file import TITLE, Item, RunFile
from triage.formats.stream import Readable

#: Format name -> (title for people, reader). A new format joins here, with its table in docs/formats.md.
FORMATS: dict[str, tuple[str, type[RunFile]]] = {"run_file": (TITLE, RunFile)}


def open_run(stream: Readable, limits: Limits = DEFAULT_LIMITS, name: str = "") -> tuple[str, RunFile]:
    """Return the name of the format and a reader over `stream`.

    Blank `name` = told by content; the reader itself refuses what it does not recognise, naming the likely tool.

    Raises:
        FileError: no such format.
    """
    chosen = name or "run_file"
    if chosen not in FORMATS:
        known = ", ".join(FORMATS)
        raise FileError("unknown_format", f"the format “{chosen}”", f"one of {known}", "Leave the format out.")
    return chosen, FORMATS[chosen][1](stream, limits)


__all__ = ["FORMATS", "FileError", "Item", "RunFile", "open_run"]
