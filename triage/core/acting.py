"""Who is acting, and from where: set by whatever lets them in, read by the journal when something changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from enum import StrEnum


class Via(StrEnum):
    """The door a change came through."""

    PAGE = "page"
    API = "api"
    COMMAND = "command"
    WORKER = "worker"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something. `place` is the URL name, the command or the task; a command has no user."""

    via: Via
    place: str = ""
    user_id: int | None = None
    name: str = ""


#: Asked only when something changes, so that reading a page looks nobody up.
_who: ContextVar[Callable[[], Actor] | None] = ContextVar("who", default=None)

#: What `begin` returns, for `end`.
Before = Token[Callable[[], Actor] | None]


def actor() -> Actor:
    """Return who is acting; where nobody said so, it is a command."""
    who = _who.get()
    return who() if who else Actor(Via.COMMAND)


def begin(who: Callable[[], Actor]) -> Before:
    """Let this process (a command, a worker's task) act as `who` until `end` is given what this returns."""
    return _who.set(who)


def end(before: Before) -> None:
    """Act again as whoever acted when `begin` returned `before`."""
    _who.reset(before)


@contextmanager
def acting(who: Callable[[], Actor]) -> Iterator[None]:
    """Act as `who` inside the block."""
    token = _who.set(who)
    try:
        yield
    finally:
        _who.reset(token)
