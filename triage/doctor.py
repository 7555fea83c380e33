"""Verb: look at everything the product stands on, and say what is wrong and what to do about it."""

from __future__ import annotations

from celery import current_app
from django.db import Error, connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

#: A health question may not hang with the service it asks about.
QUEUE_TIMEOUT_S = 1.0


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
    patience = {"socket_timeout": QUEUE_TIMEOUT_S, "socket_connect_timeout": QUEUE_TIMEOUT_S}
    options = {**current_app.conf.broker_transport_options, **patience}
    try:
        with current_app.connection_for_write(transport_options=options) as line:
            return bool(line.default_channel.client.ping())
    except (OperationalError, OSError, RedisError):
        return False
