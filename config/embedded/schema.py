"""The tables of the embedded database are made by the first command that connects, and kept up to date by the next.

A server that an operator runs is never migrated behind their back: this is for the embedded one only.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from django.core.management import call_command
from django.db.backends.signals import connection_created
from django.db.migrations.executor import MigrationExecutor

#: Held while migrating, so that two first commands at once do not both create the tables.
MIGRATION_LOCK = 0x7261675F747269
#: Commands that deal with migrations themselves.
LEFT_ALONE = frozenset({"migrate", "showmigrations", "sqlmigrate", "makemigrations", "test", "up", "stop"})


def migrate_on_first_use(argv: list[str]) -> None:
    """Have the first connection of this process bring the embedded database up to date."""
    if not LEFT_ALONE & set(argv[1:2]):
        connection_created.connect(_on_connection, dispatch_uid="embedded schema")


def _on_connection(connection: Any, **_: Any) -> None:  # noqa: ANN401 - the signal hands over any backend
    connection_created.disconnect(dispatch_uid="embedded schema")
    if "EMBEDDED_VAR" in connection.settings_dict and is_behind(connection):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        try:
            if is_behind(connection):
                _migrate()
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])


def is_behind(connection: Any) -> bool:  # noqa: ANN401
    """Say whether the database lacks a migration that the code has."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _migrate() -> None:
    began = time.monotonic()
    call_command("migrate", verbosity=0, interactive=False)
    sys.stderr.write(f"Prepared the database in var/ ({time.monotonic() - began:.1f} s, needed once).\n")
