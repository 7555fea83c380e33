"""Names held by a connection, gone with the connection that took them; and rows read as they stood at one moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def held(name: str) -> Iterator[bool]:
    """Hold a name for this connection; False = somebody else has it. The lock dies with the connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        is_mine: bool = cursor.fetchone()[0]
        try:
            yield is_mine
        finally:
            if is_mine:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])


def queue_up(name: str) -> None:
    """Wait until nobody else's transaction has this name, and hold it to the end of this one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything inside as it stood at its first statement, whatever is saved meanwhile.

    Inside a transaction that has begun already, that one decides what is seen.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield
