"""One import of a file, and one import into a project, at a time: locks that die with their connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def held(name: str) -> Iterator[bool]:
    """Hold a name for this connection; False = somebody else has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        is_mine: bool = cursor.fetchone()[0]
        try:
            yield is_mine
        finally:
            if is_mine and not connection.needs_rollback:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
