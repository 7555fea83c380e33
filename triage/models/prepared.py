"""Statements that are asked all day, planned once per connection.

Of the time PostgreSQL spends on a statement of the review screen, three quarters go into planning it. A prepared
statement is planned at its first use and then kept as long as the connection lives; the server binds the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from psycopg import Cursor

M = TypeVar("M", bound=Model)


def plan_once(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Have a new connection plan a prepared statement for any values, at once.

    Left alone, the server plans the first five uses anew, and for ever one whose plan for these very values looks
    cheaper: those of a session made a moment ago, of which the statistics know nothing, look cheapest and are worst.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET plan_cache_mode = force_generic_plan")


class _Prepared(Cursor[tuple[Any, ...]]):
    """A cursor whose every statement is prepared at its first use."""

    def execute(self, query: Any, params: Any = None, **_more: Any) -> Self:  # noqa: ANN401 - as the driver has it
        return super().execute(query, params, prepare=True)


def prepared() -> CursorWrapper:
    """Return a cursor on the connection in use, for fixed statements with few kinds of values; close it after use.

    What Django does around a cursor (checking the connection, telling of errors, counting statements) stays.
    """
    cursor = connection.cursor()
    talk = connection.connection
    if talk.prepare_threshold is None:  # Django switches preparing off; its own cursors never prepare
        talk.prepare_threshold = 1
    cursor.cursor = _Prepared(talk)
    return cursor


class Columns(Generic[M]):
    """Some columns of a model, as a fixed statement names them and as its rows become objects again.

    For the few look-ups of each request, where building a queryset costs more than asking it. Fields left out are
    read when somebody asks for them, as Django's `only` does.
    """

    def __init__(self, model: type[M], alias: str, *names: str) -> None:
        self._model = model
        every = model._meta.concrete_fields
        self._fields = [field for field in every if field.name in names] if names else list(every)
        self._names = [field.attname for field in self._fields]
        self._read = [getattr(field, "from_db_value", None) for field in self._fields]
        self.sql = ", ".join(f"{alias}.{field.column}" for field in self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def object(self, row: Sequence[Any]) -> M:
        """Return the object of a row that begins with these columns."""
        values = [
            value if read is None else read(value, None, connection)
            for read, value in zip(self._read, row, strict=False)
        ]
        return self._model.from_db(connection.alias, self._names, values)
