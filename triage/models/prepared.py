"""Statements that are asked all day, planned once per connection.

Of the time PostgreSQL spends on a statement of the review screen, three quarters go into planning it. A prepared
statement is planned a few times and then kept as long as the connection lives; the server binds the values.
"""

from __future__ import annotations

from typing import Any, Self

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor


class _Prepared(Cursor[tuple[Any, ...]]):
    """A cursor whose every statement is prepared at its first use."""

    def execute(self, query: Any, params: Any = None, **_more: Any) -> Self:  # type: ignore[override]  # noqa: ANN401
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
