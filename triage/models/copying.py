"""Bulk rows by COPY, with ids taken from the tables' own sequences beforehand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models

#: Rows ask for ids this many at a time.
_IDS_AT_ONCE = 1_000


def as_json(value: dict[str, Any] | list[Any]) -> str:
    """Return JSON for a jsonb column. Most are empty: those cost nothing."""
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class Ids:
    """Hands out primary keys of a table, each once, also to concurrent imports."""

    def __init__(self, model: type[models.Model]) -> None:
        self._table = model._meta.db_table
        self._left: list[int] = []

    def take(self, count: int) -> list[int]:
        """Return `count` fresh ids in ascending order."""
        if len(self._left) < count:
            self._left += self._reserve(max(count - len(self._left), _IDS_AT_ONCE))
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def _reserve(self, count: int) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [self._table, count]
            )
            return [row[0] for row in cursor.fetchall()]


def copy(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of `columns` (database column names, our own constants) to the model's table."""
    names = ", ".join(f'"{name}"' for name in columns)
    statement = f'COPY "{model._meta.db_table}" ({names}) FROM STDIN'
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(statement) as stream:
        for row in rows:
            stream.write_row(row)
