"""The word that a session is done, to the project's webhooks: in the transaction that gives its last verdict."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection
from django.urls import reverse

from labeling.models import Lease, ReviewSession
from triage.models import Event
from triage.webhooks import tell

#: Part of the statement that adds a verdict: the seat has it, nobody takes it again. Is a seat of its session still
#: free? (In order: the index of open seats gives the first at once, where any seat would be looked for among those of
#: all sessions.)
FINISH = """
UPDATE labeling_lease AS mine SET state = 'done' WHERE mine.id = %(seat)s RETURNING (
    SELECT seat.id FROM labeling_lease AS seat WHERE seat.session_id = mine.session_id AND seat.state = 'free'
    ORDER BY seat.position, seat.seat LIMIT 1) IS NOT NULL AS has_free
"""
#: Two people who give the last two verdicts at once take turns here, so that the later one sees both.
LOCK = "SELECT id FROM labeling_reviewsession WHERE id = %s FOR NO KEY UPDATE"


def tell_if_read(session: ReviewSession) -> int:
    """Tell that every verdict of the session is given, if so. Call it at the end of the transaction that gave one."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [session.pk])
    if Lease.objects.filter(session=session, state__in=[Lease.State.FREE, Lease.State.TAKEN]).exists():
        return 0
    return tell_done(session, "all_read")


def tell_done(session: ReviewSession, how: str) -> int:
    """Tell that a session is done, once for the same seats; `how` is all_read or closed."""
    if not settings.WEBHOOKS:
        return 0
    wanted = session.leases.count()
    run = session.run
    data: dict[str, Any] = {
        "session": session.key,
        "name": session.name,
        "run": run.key,
        "how": how,
        "verdicts_wanted": wanted,
        "verdicts_given": session.leases.filter(state=Lease.State.DONE).count(),
        "url": settings.PUBLIC_URL + reverse("session", args=[session.key]),
    }
    return tell(run.project_id, Event.SESSION_DONE, f"{session.key} {wanted}", data, run_key=run.key)
