"""F-22: the schema is made in a database of its own, twice, and once with a fault in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from tests.conftest import ROOT

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

#: As if the server were shut down while this table is made.
TRIP = """
CREATE FUNCTION trip() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE 'public.{table}%') THEN
    RAISE EXCEPTION 'tripped at {table}';
  END IF;
END $$;
CREATE EVENT TRIGGER trip ON ddl_command_end EXECUTE FUNCTION trip();
"""
FREE = "DROP EVENT TRIGGER trip; DROP FUNCTION trip;"
SHAPE = """
SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
WHERE table_schema = 'public' ORDER BY 1, 2
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"


class Database:
    """An empty database on the test's own server."""

    def __init__(self) -> None:
        self.name = f"migrated_{uuid.uuid4().hex[:8]}"
        self._host = str(connection.settings_dict["HOST"])
        self._on("postgres", sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.name)))

    def _on(self, name: str, words: str | sql.Composed) -> list[tuple[object, ...]]:
        with psycopg.connect(host=self._host, user="postgres", dbname=name, autocommit=True) as line:
            found = line.execute(words)  # type: ignore[arg-type]
            return found.fetchall() if found.description else []

    def run(self, words: str) -> list[tuple[object, ...]]:
        """Return the rows of a statement."""
        return self._on(self.name, words)

    def migrate(self) -> subprocess.CompletedProcess[str]:
        """Run the command as an operator does."""
        url = f"postgresql://postgres@/{self.name}?host={quote(self._host)}"
        return subprocess.run(
            [sys.executable, "manage.py", "migrate", "--no-input"],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
        )

    def drop(self) -> None:
        """Leave nothing behind."""
        self._on("postgres", sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(self.name)))


@pytest.fixture
def database() -> Iterator[Database]:
    made = Database()
    yield made
    made.drop()


def test_F22_migrating_twice_does_nothing_the_second_time(database: Database) -> None:
    assert database.migrate().returncode == 0
    before = database.run(SHAPE), database.run(INDEXES)
    again = database.migrate()
    assert again.returncode == 0
    assert "No migrations to apply" in again.stdout
    assert (database.run(SHAPE), database.run(INDEXES)) == before


@pytest.mark.parametrize("table", ["triage_score", "labeling_verdict"])
def test_F22_a_migration_that_failed_half_way_is_run_again(database: Database, table: str) -> None:
    database.run(TRIP.format(table=table))
    failed = database.migrate()
    assert failed.returncode != 0
    assert f"tripped at {table}" in failed.stderr
    assert not database.run(f"SELECT 1 FROM pg_tables WHERE tablename = '{table}'")
    database.run(FREE)
    assert database.migrate().returncode == 0
    assert database.run(f"SELECT 1 FROM pg_tables WHERE tablename = '{table}'")
    assert "No migrations to apply" in database.migrate().stdout
