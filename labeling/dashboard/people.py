"""Who is reading: the open sessions with their progress and their people, in two statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.db.models.functions import Now

from labeling.models import Lease, ReviewSession
from labeling.worklist import SessionLine, open_session_lines
from triage.models import Project

#: Open sessions shown, the newest first.
MOST_SESSIONS = 5


@dataclass(frozen=True, slots=True)
class Reader:
    """One person of a session: verdicts given, and whether an item is open in front of them."""

    name: str
    given: int
    is_at_it: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One open session and its people, the busiest first."""

    line: SessionLine
    readers: tuple[Reader, ...]

    @property
    def words(self) -> str:
        """Return whether somebody has an item open."""
        return "reading now" if any(reader.is_at_it for reader in self.readers) else "open"


def readings(project: Project) -> tuple[Reading, ...]:
    """Return the project's newest open sessions."""
    lines = open_session_lines(project, MOST_SESSIONS)
    people = _readers([line.session for line in lines])
    return tuple(Reading(line, tuple(people[line.session.pk])) for line in lines)


def _readers(sessions: Sequence[ReviewSession]) -> dict[int, list[Reader]]:
    held = Count("pk", filter=Q(state=Lease.State.TAKEN, expires_at__gt=Now()))
    rows = (
        Lease.objects.filter(session__in=[session.pk for session in sessions], reviewer__isnull=False)
        .values_list("session_id", "reviewer__username")
        .annotate(given=Count("pk", filter=Q(state=Lease.State.DONE)), held=held)
        .order_by("-given", "reviewer__username")
    )
    found: defaultdict[int, list[Reader]] = defaultdict(list)
    for session, name, given, holds in rows:
        found[session].append(Reader(name, given, bool(holds)))
    return found
