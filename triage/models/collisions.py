"""What the database undoes because two people were at the same rows at once is done again, a few times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection
from psycopg.errors import DeadlockDetected, SerializationFailure

P = ParamSpec("P")
R = TypeVar("R")
COLLISIONS = DeadlockDetected | SerializationFailure
#: The first try and two more; whoever still collides is told that nothing was saved.
TRIES = 3


def again_on_collision(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a whole transaction be tried again where the database undid it for somebody else's sake.

    Inside an outer transaction nothing is tried again: all of that one is lost. Raises OperationalError after TRIES.
    """

    @wraps(verb)
    def tried(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(TRIES - 1):
            try:
                return verb(*args, **kwargs)
            except OperationalError as fault:
                if connection.in_atomic_block or not isinstance(
                    fault.__cause__, DeadlockDetected | SerializationFailure
                ):
                    raise
        return verb(*args, **kwargs)

    return tried
