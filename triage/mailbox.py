"""Short notes in Redis between processes: questions to a worker with their replies, and buckets of allowed calls.

Nothing in it has to last. Where Redis is away a question cannot be asked, and calls are not counted.
"""

from __future__ import annotations

import json
import uuid
from functools import cache
from typing import Any, cast

import redis
from celery import current_app
from django.conf import settings

ANSWER_LIVES_S = 60
TIMEOUT_S = 2.0


class AwayError(Exception):
    """Redis does not answer."""


#: One number for each bucket: when it will be full again (generic cell rate algorithm), by Redis's own clock.
_SPEND = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local each, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local wait = full + each - each * most - now
if wait > 0 then return wait end
redis.call('SET', KEYS[1], full + each, 'PX', math.ceil(full + each - now) + 1000)
return 0
"""


def put(note: dict[str, Any], lives_s: int) -> str:
    """Keep a note for a while and return its ticket. Raises AwayError."""
    ticket = uuid.uuid4().hex
    try:
        _client().set(f"note:{ticket}", json.dumps(note), ex=lives_s)
    except redis.RedisError as fault:
        raise AwayError(str(fault)) from fault
    return ticket


def take(ticket: str) -> dict[str, Any] | None:
    """Return the note of a ticket and forget it; None where it has gone. Raises AwayError."""
    try:
        found = _client().getdel(f"note:{ticket}")
    except redis.RedisError as fault:
        raise AwayError(str(fault)) from fault
    return None if found is None else cast("dict[str, Any]", json.loads(cast("bytes", found)))


def reply(ticket: str, answer: dict[str, Any]) -> None:
    """Answer a ticket. Raises AwayError."""
    try:
        with _client().pipeline() as line:
            line.rpush(f"reply:{ticket}", json.dumps(answer, allow_nan=False))
            line.expire(f"reply:{ticket}", ANSWER_LIVES_S)
            line.execute()
    except redis.RedisError as fault:
        raise AwayError(str(fault)) from fault


def wait_for(ticket: str, seconds: float) -> dict[str, Any] | None:
    """Return the reply to a ticket; None where none comes in time. Raises AwayError."""
    client = _client(seconds + TIMEOUT_S)
    try:
        found = client.blpop([f"reply:{ticket}"], timeout=seconds)
    except redis.RedisError as fault:
        raise AwayError(str(fault)) from fault
    return None if found is None else cast("dict[str, Any]", json.loads(cast("tuple[bytes, bytes]", found)[1]))


def spend(bucket: str, per_minute: int, burst: int) -> float:
    """Take one call from a bucket and return 0, or the seconds until there is one again. Raises AwayError."""
    try:
        wait_ms = _client().eval(_SPEND, 1, f"calls:{bucket}", 60_000 / per_minute, burst)
    except redis.RedisError as fault:
        raise AwayError(str(fault)) from fault
    return float(cast("int", wait_ms)) / 1000


@cache
def _client(timeout_s: float = TIMEOUT_S) -> redis.Redis:
    """Return the client of this process. Asking Celery for a connection starts the embedded Redis where it is used."""
    current_app.connection_for_write()
    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://", 1)
    return redis.Redis.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=TIMEOUT_S)
