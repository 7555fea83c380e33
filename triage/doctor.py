"""Verb: look at everything the product stands on, and say what is wrong and what to do about it."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.checks import Tags, run_checks
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError, ResponseError

from triage.models import Run, WorkerHeartbeat

#: A health question may not hang with the service it asks about.
QUEUE_TIMEOUT_S = 1.0
#: Less than this and the next large import may not fit.
DISK_LOW_BYTES, DISK_FULL_BYTES = 2 * 1024**3, 200 * 1024**2


class State(StrEnum):
    """How a part is. Only a problem makes the check fail."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one part, and, unless all is well, what to do."""

    name: str
    state: State
    detail: str
    remedy: str = ""


def examine() -> list[Finding]:
    """Look at the database, the queue, the workers, the disk and the settings. Judges are the caller's to try."""
    database = _database()
    rows = [_workers()] if database.state is not State.PROBLEM else []
    return [database, _queue(), *rows, _disk(settings.VAR_DIR), _settings()]


def database_answers() -> bool:
    """Say whether the database answers a question now."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def queue_answers() -> bool:
    """Say whether the queue answers a question now."""
    return _eviction_policy() is not None


def _database() -> Finding:
    if not database_answers():
        return Finding("database", State.PROBLEM, "PostgreSQL does not answer", "start it, or correct DATABASE_URL")
    where = "a server" if settings.DATABASE_URL else "embedded"
    detail = f"PostgreSQL {connection.pg_version // 10_000}, {where}"  # type: ignore[attr-defined]
    executor = MigrationExecutor(connection)
    behind = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if behind:
        return Finding("database", State.PROBLEM, f"{detail}, {len(behind)} migrations behind", "manage.py migrate")
    return Finding("database", State.OK, f"{detail}, tables up to date")


def _queue() -> Finding:
    policy = _eviction_policy()
    if policy is None:
        remedy = "start Redis, or correct REDIS_URL; people can go on reviewing, imports wait"
        return Finding("queue", State.PROBLEM, "Redis does not answer", remedy)
    if policy not in {"", "noeviction"}:
        return Finding(
            "queue",
            State.PROBLEM,
            f"Redis forgets messages when it is full (maxmemory-policy {policy})",
            "set maxmemory-policy to noeviction",
        )
    return Finding("queue", State.OK, "Redis answers" + (", it never forgets a message" if policy else ""))


def _eviction_policy() -> str | None:
    """Return Redis's eviction policy; "" where it does not tell, None where Redis does not answer."""
    try:
        with _line() as line:
            client = line.default_channel.client
            client.ping()
            return _config(client, "maxmemory-policy")
    except (OperationalError, OSError, RedisError):
        return None


def queue_length() -> int | None:
    """Return how many messages wait for a worker; None where Redis does not answer."""
    with suppress(OperationalError, OSError, RedisError), _line() as line:
        return int(line.default_channel.client.llen(current_app.conf.task_default_queue))
    return None


def _line() -> Any:  # noqa: ANN401 - kombu's connection has no types
    """Return a connection to the queue that gives up soon."""
    patience = {"socket_timeout": QUEUE_TIMEOUT_S, "socket_connect_timeout": QUEUE_TIMEOUT_S}
    options = {**current_app.conf.broker_transport_options, **patience}
    return current_app.connection_for_write(transport_options=options)


def _config(client: object, name: str) -> str:
    try:
        answer = client.config_get(name)  # type: ignore[attr-defined]
    except ResponseError:
        return ""  # hosted Redis often keeps its settings to itself
    words = {_text(key): _text(value) for key, value in answer.items()}
    return words.get(name, "")


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _workers() -> Finding:
    recent = Now() - timedelta(seconds=settings.WORKER_AWAY_S)
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=recent).count()
    if alive:
        return Finding("workers", State.OK, f"{alive} seen within {settings.WORKER_AWAY_S} s")
    waiting = Run.objects.unfinished().count()
    detail = f"none seen within {settings.WORKER_AWAY_S} s, {waiting} runs wait"
    remedy = "`make run` starts one; `make worker` starts one more; commands with --wait need none"
    return Finding("workers", State.PROBLEM if waiting else State.WARNING, detail, remedy)


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1024**3:.1f} GiB free where {folder} is"
    if free >= DISK_LOW_BYTES:
        return Finding("disk", State.OK, detail)
    state = State.PROBLEM if free < DISK_FULL_BYTES else State.WARNING
    return Finding("disk", state, detail, "make room, or set RAG_TRIAGE_VAR to a larger disk")


def _settings() -> Finding:
    if not settings.PRODUCTION:
        detail = "for one machine (PRODUCTION is not set)"
        return Finding("settings", State.OK, detail)
    said = run_checks(tags=[Tags.security], include_deployment_checks=True)
    if said:
        return Finding(
            "settings", State.WARNING, "; ".join(f"{word.id}: {word.msg}" for word in said)[:500], "docs/deploy.md"
        )
    return Finding("settings", State.OK, "for production, the security checks have nothing to say")
