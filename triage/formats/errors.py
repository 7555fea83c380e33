"""Why a whole file is not read. A single faulty line is a `RowError` instead."""

from __future__ import annotations

from collections.abc import Sequence

from triage.core.records import RowError


class FileError(Exception):
    """A file that cannot be imported: what it is, what was expected, what to do. Nothing of it was kept."""

    def __init__(self, code: str, found: str, expected: str, remedy: str, errors: Sequence[RowError] = ()) -> None:
        super().__init__(f"{found[:1].upper()}{found[1:]}; expected {expected}. {remedy}")
        self.code, self.found, self.expected, self.remedy = code, found, expected, remedy
        #: The first row errors, where faulty lines are the reason.
        self.errors = tuple(errors)

    def pointing_to(self, likely: str) -> FileError:
        """Return the refusal with the format the file looks like, and with what to do about that first."""
        remedy = f"It looks like “{likely}”: leave the format out, and it is told by its content. {self.remedy}"
        return FileError(self.code, self.found, self.expected, remedy, self.errors)
