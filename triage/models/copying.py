"""Bulk rows by COPY, with ids taken from the tables' own sequences beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connection, models

#: Rows ask for ids this many at a time.
_IDS_AT_ONCE = 1_000
#: Lines are sent this many at a time.
_LINES_AT_ONCE = 100
#: No value, as a cell of COPY.
NULL = "\\N"
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
    copy_lines(model, columns, ("\t".join([_CELL[type(value)](value) for value in row]) + "\n" for row in rows))


def copy_lines(model: type[models.Model], columns: Sequence[str], lines: Iterable[str]) -> None:
    """Write rows that are spelled out already: for narrow tables of many rows, where a look at each cell costs most.

    Each line ends in a line feed and holds, parted by tabs, numbers, `t` and `f`, `NULL`, texts by `escaped` and hashes
    by `hexed`. They are sent piece by piece, so that the database stores one piece while we make the next; making
    a line must not touch it.
    """
    names = ", ".join(f'"{name}"' for name in columns)
    statement = f'COPY "{model._meta.db_table}" ({names}) FROM STDIN'
    left = iter(lines)
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(statement) as stream:
        while piece := "".join(islice(left, _LINES_AT_ONCE)):
            stream.write(piece)


def escaped(value: str) -> str:
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
    return escaped("{" + ",".join([f'"{value}"' for value in quoted]) + "}")


def hexed(value: bytes) -> str:
    """Return bytes as a cell of COPY."""
    return "\\\\x" + value.hex()


class _Cells(dict[type, Callable[[Any], str]]):
    """How a value of each type is written; one of a type derived from these (a word of an enumeration) as its base."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        self[kind] = next(self[base] for base in kind.__mro__[1:] if base in self)
        return self[kind]


_CELL = _Cells(
    {
        str: escaped,
        int: int.__repr__,
        float: float.__repr__,
        bool: lambda value: "t" if value else "f",
        type(None): lambda _: NULL,
        bytes: hexed,
        list: _array,
        datetime: lambda value: value.isoformat(),
    }
)
