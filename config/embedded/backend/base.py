"""The backend proper; Django looks for it under this name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from django.db.backends.postgresql import base

from config.embedded import postgres


class DatabaseWrapper(base.DatabaseWrapper):
    """Starts the embedded PostgreSQL when, and only when, a connection is wanted and nobody answers."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # noqa: ANN401 - Django's own signature
        """Connect; where the server is down or starting, have it started or wait for it, and connect once more."""
        try:
            return super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            postgres.ensure(Path(self.settings_dict["EMBEDDED_VAR"]))
            return super().get_new_connection(conn_params)
