"""The progress of an import, written beside its transaction, and the way to stop it."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from triage.models import Upload

#: Seconds between two entries: often enough for a live page, rare enough to cost nothing.
EVERY_S = 0.5
_WRITE = """
    UPDATE triage_upload SET bytes_read = %s, lines_read = %s, heartbeat_at = statement_timestamp()
    WHERE id = %s RETURNING state
"""


class CancelledError(Exception):
    """Somebody cancelled the import while it ran: nothing of it is kept."""


class Beat:
    """A second connection that says how far the import is; what it writes stands whatever becomes of the import."""

    def __init__(self, upload: int) -> None:
        self._upload = upload
        self._line: BaseDatabaseWrapper | None = None
        self._next = 0.0

    def __enter__(self) -> Self:
        self._line = connection.copy()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._line is not None:
            self._line.close()

    def tell(self, bytes_read: int, lines_read: int, *, now: bool = False) -> None:
        """Write how far the import is, unless it was written just before.

        Raises:
            CancelledError: somebody cancelled it.
        """
        if self._line is None or (not now and time.monotonic() < self._next):
            return
        with self._line.cursor() as cursor:
            cursor.execute(_WRITE, [bytes_read, lines_read, self._upload])
            row = cursor.fetchone()
        self._next = time.monotonic() + EVERY_S
        if row is not None and row[0] == Upload.State.CANCELLED:
            raise CancelledError
