"""Who is reviewing what in a session at this moment: from the seats people hold, and what they did last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from labeling.models import ReviewSession

#: One line a person who holds an opened seat (a reserved one is not opened yet), the newest opened first. Their last
#: save in the session stands beside it.
PRESENT = """
SELECT DISTINCT ON (seat.reviewer_id) person.username, seat.position, seat.taken_at, seat.expires_at,
    (SELECT max(verdict.created_at) FROM labeling_verdict AS verdict
     JOIN labeling_sessionitem AS item ON item.id = verdict.item_id
     WHERE item.session_id = %(session)s AND verdict.reviewer_id = seat.reviewer_id)
FROM labeling_lease AS seat JOIN auth_user AS person ON person.id = seat.reviewer_id
WHERE seat.session_id = %(session)s AND seat.state = 'taken' AND seat.taken_at IS NOT NULL
    AND seat.expires_at > clock_timestamp()
ORDER BY seat.reviewer_id, seat.taken_at DESC
"""


@dataclass(frozen=True, slots=True)
class Present:
    """One person at work: the item they have open, since when, and until when it is theirs."""

    name: str
    position: int
    since: datetime
    until: datetime
    #: None = they saved nothing in this session yet.
    saved_at: datetime | None


def presence(session: ReviewSession) -> tuple[Present, ...]:
    """Return who has an item of the session open now, by name."""
    with connection.cursor() as cursor:
        cursor.execute(PRESENT, {"session": session.pk})
        people = [Present(*row) for row in cursor.fetchall()]
    return tuple(sorted(people, key=lambda one: one.name))
