"""Python's collector of cycles, kept from what it need not look at while millions of plain objects come and go."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: A full collection comes when this share more is held than after the last: Python's own rule for its oldest objects.
GROWTH = 0.25


class _Last:
    """What the process held after its last full collection here."""

    held = 0


@contextmanager
def frozen() -> Iterator[None]:
    """Leave out of every collection what exists already: modules, settings, models - some hundred thousand objects.

    The collector stays on, for this thread and all others: a cycle that is made inside is found inside; one that was
    there before waits until the end. Without this, each collection that the objects of a batch set off walks the whole
    process, which took a quarter of the time of an import. Within another `frozen` (or in a process that froze
    itself after its start) it does nothing, so that whoever froze first decides when it ends.
    """
    if gc.get_freeze_count():
        yield
        return
    _freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _freeze() -> None:
    """Freeze what is worth it: dead cycles go first.

    Frozen and thawed, everything is old, and freezing sets Python's count towards the next full collection back to
    nothing: a process that does this for one small file after another would never have one. So the young are collected
    each time, and all where there are many more than the last time.
    """
    gc.collect(1)
    gc.freeze()
    if gc.get_freeze_count() > _Last.held * (1 + GROWTH):
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _Last.held = gc.get_freeze_count()
