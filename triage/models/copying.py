"""Bulk rows by COPY, with ids taken from the tables' own sequences beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models

#: Rows ask for ids this many at a time.
_IDS_AT_ONCE = 1_000
#: Made once: `json.dumps` makes one anew for every call that asks for anything out of the ordinary.
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def as_json(value: dict[str, Any] | list[Any]) -> str:
    """Return JSON for a jsonb column. Most are empty: those cost nothing."""
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    return _JSON(value)


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
    text = "".join(["\t".join([_CELL[type(value)](value) for value in row]) + "\n" for row in rows])
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(statement) as stream:
        stream.write(text)


def _text(value: str) -> str:
    """Return text as a cell of COPY. Most texts hold none of the four characters: looking costs little."""
    if "\\" in value:
        value = value.replace("\\", "\\\\")
    if "\n" in value:
        value = value.replace("\n", "\\n")
    if "\r" in value:
        value = value.replace("\r", "\\r")
    return value.replace("\t", "\\t") if "\t" in value else value


def _array(values: list[str]) -> str:
    """Return a list of texts as an array of the database."""
    if not values:
        return "{}"
    quoted = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
    return _text("{" + ",".join([f'"{value}"' for value in quoted]) + "}")


class _Cells(dict[type, Callable[[Any], str]]):
    """How a value of each type is written; one of a type derived from these (a word of an enumeration) as its base."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        self[kind] = next(self[base] for base in kind.__mro__[1:] if base in self)
        return self[kind]


_CELL = _Cells(
    {
        str: _text,
        int: int.__repr__,
        float: float.__repr__,
        bool: lambda value: "t" if value else "f",
        type(None): lambda _: "\\N",
        bytes: lambda value: "\\\\x" + value.hex(),
        list: _array,
        datetime: lambda value: value.isoformat(),
    }
)
