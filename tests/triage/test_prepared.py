"""Statements that are planned once per connection."""

from __future__ import annotations

import pytest
from django.db import DataError, connection, transaction

from triage.models.prepared import prepared

pytestmark = pytest.mark.django_db

ASK = "SELECT %(one)s::int + 1, %(word)s::text"


def _plans() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%::int + 1%'")
        return int(cursor.fetchone()[0])


def test_a_statement_asked_twice_is_planned_once() -> None:
    before = _plans()
    for one in (1, 2):
        with prepared() as cursor:
            cursor.execute(ASK, {"one": one, "word": "it's %s"})
            assert cursor.fetchone() == (one + 1, "it's %s")
    assert _plans() - before == 1


def test_values_are_bound_by_the_server_and_never_become_part_of_the_statement() -> None:
    with prepared() as cursor:
        cursor.execute("SELECT %(word)s::text", {"word": "'; DROP TABLE triage_run; --"})
        assert cursor.fetchone() == ("'; DROP TABLE triage_run; --",)


def test_an_error_is_djangos_and_the_statement_works_again_after_the_rollback() -> None:
    with pytest.raises(DataError), transaction.atomic(), prepared() as cursor:
        cursor.execute("SELECT 1 / %(by)s::int", {"by": 0})
    with prepared() as cursor:
        cursor.execute("SELECT 1 / %(by)s::int", {"by": 1})
        assert cursor.fetchone() == (1,)
