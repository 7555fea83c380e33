"""The door to a session: through the caller's memberships, like every door of `triage.access`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from labeling.models import NoteSnapshot, ReviewSession, SessionItem
from triage.access import enter, enter_as, user
from triage.models import Project, Role, Run
from triage.models.prepared import Columns, prepared

Row = Sequence[Any]


SESSION, RUN, PROJECT, ITEM = (
    Columns(ReviewSession, "session"),
    Columns(Run, "run"),
    Columns(Project, "project"),
    Columns(SessionItem, "item"),
)
#: The sessions of the user's projects, with the role held and whether the session was made for named people, of whom
#: this user is none. Plain SQL: building it anew for each request costs more than running it.
DOOR = f"""
SELECT {SESSION.sql}, {RUN.sql}, {PROJECT.sql}, member.role,
    EXISTS (SELECT 1 FROM labeling_reviewsession_reviewers AS named WHERE named.reviewsession_id = session.id)
    AND NOT EXISTS (SELECT 1 FROM labeling_reviewsession_reviewers AS named
                    WHERE named.reviewsession_id = session.id AND named.user_id = %(user)s), {{item}}
FROM labeling_reviewsession AS session
JOIN triage_run AS run ON run.id = session.run_id AND run.state <> '{Run.State.DELETING}'
JOIN triage_project AS project ON project.id = run.project_id
JOIN triage_member AS member ON member.project_id = project.id AND member.user_id = %(user)s
{{join}} WHERE session.key = %(key)s
"""  # noqa: S608 - our own columns
TO_SESSION = DOOR.format(item="NULL", join="")
TO_ITEM = DOOR.format(
    item=ITEM.sql,
    join="LEFT JOIN labeling_sessionitem AS item ON item.session_id = session.id AND item.position = %(position)s",
)


def session(request: HttpRequest, key: str, role: Role = Role.REVIEWER) -> ReviewSession:
    """Return the session with this key, its run and project beside it."""
    return _entered(request, TO_SESSION, {"key": key, "user": user(request).pk}, role)[0]


def item(request: HttpRequest, key: str, position: int) -> SessionItem:
    """Return the item at this place of the session, for a reviewer; its query is read when it is asked for."""
    values = {"key": key, "user": user(request).pk, "position": position}
    found, cells = _entered(request, TO_ITEM, values, Role.REVIEWER)
    if cells[0] is None:
        raise Http404("No item of the session has such a place.")
    one = ITEM.object(cells)
    one.session = found
    return one


def _entered(request: HttpRequest, sql: str, values: dict[str, Any], role: Role) -> tuple[ReviewSession, Row]:
    """Return the session that a door statement finds, entered, and the cells behind it; 404, or 403 for the role."""
    with prepared() as cursor:
        cursor.execute(sql, values)
        row = cursor.fetchone()
    if row is None:
        raise Http404("No session of yours has such a key.")
    found, row = SESSION.object(row), row[len(SESSION) :]
    found.run, row = RUN.object(row), row[len(RUN) :]
    found.run.project, (held, for_others, *cells) = PROJECT.object(row), row[len(PROJECT) :]
    enter_as(request, found.run.project, Role(held), role)
    if for_others and Role(held).rank < Role.LEAD.rank:
        raise PermissionDenied("This session was made for other reviewers.")
    return found, cells


def snapshot(request: HttpRequest, key: str, role: Role = Role.VIEWER) -> NoteSnapshot:
    """Return the published note with this key, its run and project beside it."""
    mine = NoteSnapshot.objects.filter(run__in=Run.objects.of(user(request)))
    found = get_object_or_404(mine.select_related("run__project", "published_by", "withdrawn_by"), key=key)
    enter(request, found.run.project, role)
    return found
