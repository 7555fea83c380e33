"""Every promise of both rooms, asked of one state of the rows."""

from __future__ import annotations

from django.db import connection, transaction

from labeling.verify.invariants import INVARIANTS
from triage import verify
from triage.verify import Finding


def findings() -> list[Finding]:
    """Ask everything in one transaction that sees one state: it may run while people work."""
    with transaction.atomic():
        if not connection.savepoint_ids:  # a transaction of our own, not a test's
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        found = [*verify.check(verify.INVARIANTS), *verify.check(INVARIANTS)]
    return [*found, verify.uploads_have_files()]
