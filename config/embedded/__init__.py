"""PostgreSQL and Redis for a laptop, from wheels: where they live and how they are found.

Asking where they are starts nothing. The database is started by the first connection (`backend`), the queue by the
first use of Celery, so that any command works with nothing running and `--help` runs nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def database_settings(var: Path) -> dict[str, object]:
    """Return Django's settings for the embedded PostgreSQL under `var/pg`."""
    _refuse_windows("DATABASE_URL=postgresql://user:password@host:5432/name")
    from config.embedded import postgres

    return {
        "ENGINE": "config.embedded.backend",
        "NAME": "postgres",
        "USER": "postgres",
        "HOST": str(postgres.host(var)),
        "PORT": "5432",
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "EMBEDDED_VAR": str(var),
    }


def redis_url(var: Path) -> str:
    """Return Celery's URL of the embedded Redis under `var/redis`."""
    _refuse_windows("REDIS_URL=redis://:password@host:6379/0")
    from config.embedded import valkey

    return valkey.celery_url(var)


def stop(var: Path) -> list[str]:
    """Stop whatever of the two runs; return their names."""
    from config.embedded import postgres, valkey

    return [name for name, service in (("Redis", valkey), ("PostgreSQL", postgres)) if service.stop(var)]


def _refuse_windows(instead: str) -> None:
    if os.name != "posix":
        raise ImproperlyConfigured(f"The embedded services run on Linux and macOS only: set {instead}")
