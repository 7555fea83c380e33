"""PostgreSQL's own programs, from the wheel, or from PATH where there is no wheel for the platform."""

from __future__ import annotations

import os
import shutil
from typing import Any

from django.db import connection

from config.backup.manifest import BackupError
from config.embedded import postgres
from config.embedded.places import EmbeddedError

#: Django's settings -> libpq's environment. A password on a command line could be read by other users.
LIBPQ = {"HOST": "PGHOST", "PORT": "PGPORT", "USER": "PGUSER", "PASSWORD": "PGPASSWORD", "NAME": "PGDATABASE"}
OPTIONS = {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}


def program(name: str) -> str:
    """Return the program. Raises BackupError where there is none."""
    try:
        return postgres.binary(name)
    except EmbeddedError:
        if found := shutil.which(name):
            return found
    raise BackupError(f"{name} is needed: install PostgreSQL's client programs, as new as the server or newer.")


def environment() -> dict[str, str]:
    """Return the environment that leads PostgreSQL's programs to this database."""
    told: dict[str, Any] = connection.settings_dict
    pairs = [(variable, told.get(name)) for name, variable in LIBPQ.items()]
    pairs += [(variable, told.get("OPTIONS", {}).get(name)) for name, variable in OPTIONS.items()]
    known = {variable: str(value) for variable, value in pairs if value}
    return {"PATH": os.defpath, "LC_ALL": "C", "PGAPPNAME": "rag-triage backup", "PGCONNECT_TIMEOUT": "10", **known}
