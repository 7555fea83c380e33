"""Reading ahead: the next batch is read and checked by a thread while the database writes the one before."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

#: Batches that may wait: with the one being read and the one being written, three are in memory at most.
WAITING = 1
#: Seconds between two looks at whether to stop, and between two empty hands for the reader's caller.
_LOOK_S = 0.2

Batch = TypeVar("Batch")


@dataclass(frozen=True, slots=True)
class _End:
    """The last thing a reader hands over: what it ended with, None where nothing was wrong."""

    error: BaseException | None


class Ahead(Generic[Batch]):
    """Batches of an iterator that runs in a thread of its own. Leaving the block ends the thread and waits for it.

    The iterator must not touch the database: connections belong to the thread that opened them.
    """

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._batches = batches
        self._waiting: queue.Queue[Batch | _End] = queue.Queue(WAITING)
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, name="read ahead", daemon=True)

    def __enter__(self) -> Iterator[Batch | None]:
        self._thread.start()
        return self._handed()

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()

    def _handed(self) -> Iterator[Batch | None]:
        """Yield each batch in order, and None now and then while there is none; raise what the iterator raised."""
        while True:
            try:
                each = self._waiting.get(timeout=_LOOK_S)
            except queue.Empty:
                yield None
                continue
            if not isinstance(each, _End):
                yield each
            elif each.error is None:
                return
            else:
                raise each.error

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            for batch in self._batches:
                self._hand(batch)
                if self._left.is_set():
                    return
        except BaseException as raised:  # noqa: BLE001 - raised again in the thread that asked
            error = raised
        self._hand(_End(error))

    def _hand(self, each: Batch | _End) -> None:
        """Wait for room, unless nobody takes anything any more."""
        while not self._left.is_set():
            try:
                return self._waiting.put(each, timeout=_LOOK_S)
            except queue.Full:
                continue
        return None
