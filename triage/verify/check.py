"""How an invariant is asked: one statement that returns the rows looked at, the rows that break it, and examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db import connection

from triage.models import Upload

#: Examples a finding names.
EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Invariant:
    """A promise about rows. `rows` selects (what names the row, whether it keeps the promise)."""

    name: str
    promise: str
    rows: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check: rows looked at, rows that break it, some of them by name."""

    name: str
    promise: str
    n: int
    broken: int
    examples: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Say whether nothing breaks it."""
        return self.broken == 0


ASK = """
SELECT count(*), count(*) FILTER (WHERE keeps IS NOT TRUE),
    (array_agg(named ORDER BY named) FILTER (WHERE keeps IS NOT TRUE))[1:{examples}]
FROM ({rows}) AS looked_at (named, keeps)
"""


def check(invariants: Iterable[Invariant]) -> Iterator[Finding]:
    """Ask one after the other. Call it in one transaction to see one state of the rows."""
    for each in invariants:
        with connection.cursor() as cursor:
            cursor.execute(ASK.format(examples=EXAMPLES, rows=each.rows))
            n, broken, examples = cursor.fetchone()
        yield Finding(each.name, each.promise, n, broken, tuple(str(one) for one in examples or ()))


def uploads_have_files() -> Finding:
    """Look whether every file that waits for a worker is on the disk."""
    waiting = list(Upload.objects.unfinished())
    lost = sorted(upload.key for upload in waiting if not upload.stored_as or not upload.path.is_file())
    promise = "a file that waits to be read is on the disk"
    return Finding("uploads_have_files", promise, len(waiting), len(lost), tuple(lost[:EXAMPLES]))
