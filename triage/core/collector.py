"""Python's collector of cycles, kept from what it need not look at while millions of plain objects come and go."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def frozen() -> Iterator[None]:
    """Leave out of every collection what exists already: modules, settings, models - some hundred thousand objects.

    The collector stays on, for this thread and all others: a cycle that is made inside is found inside; one that was
    there before waits until the end. Without this, each collection that the objects of a batch set off walks the whole
    process, which took a quarter of the time of an import. Within another `frozen` (or in a process that froze
    itself after its start) it does nothing, so that whoever froze first decides when it ends.

    What is young is collected first: frozen and thawed it would be old at once, uncounted, and a process that does
    this for one small file after another would not look at its old cycles for hours.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.collect(1)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
