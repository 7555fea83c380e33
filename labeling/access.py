"""The door to a session: through the caller's memberships, like every door of `triage.access`."""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.db.models import F, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from labeling.models import NoteSnapshot, ReviewSession, SessionItem
from triage.access import enter, enter_as, user
from triage.models import Role, Run


def session(request: HttpRequest, key: str, role: Role = Role.REVIEWER) -> ReviewSession:
    """Return the session with this key, its run and project beside it."""
    found = get_object_or_404(_mine(user(request).pk).select_related("run__project"), key=key)
    _enter(request, found, role)
    return cast("ReviewSession", found)


#: Made for named people, and this user is not one of them. Plain SQL: building it anew for each save costs more
#: than running it.
FOR_OTHERS = """
EXISTS (SELECT 1 FROM labeling_reviewsession_reviewers AS named
        WHERE named.reviewsession_id = labeling_reviewsession.id)
AND NOT EXISTS (SELECT 1 FROM labeling_reviewsession_reviewers AS named
                WHERE named.reviewsession_id = labeling_reviewsession.id AND named.user_id = %s)
"""


def _mine(user_id: int) -> QuerySet[Any]:
    """Return the sessions of the user's projects, each with the role held and whether it is for others."""
    kept = ReviewSession.objects.exclude(run__state=Run.State.DELETING)
    mine = kept.filter(run__project__members__user=user_id)
    return mine.annotate(for_others=RawSQL(FOR_OTHERS, [user_id]), held=F("run__project__members__role"))  # noqa: S611


def _enter(request: HttpRequest, found: Any, role: Role) -> None:  # noqa: ANN401 - a session with two more columns
    held = Role(found.held)
    enter_as(request, found.run.project, held, role)
    if found.for_others and held.rank < Role.LEAD.rank:
        raise PermissionDenied("This session was made for other reviewers.")


def item(request: HttpRequest, key: str, position: int) -> SessionItem:
    """Return the item at this place of the session, for a reviewer; its query is read when it is asked for."""
    found = session(request, key)
    one = get_object_or_404(found.items, position=position)
    one.session = found
    return one


def snapshot(request: HttpRequest, key: str, role: Role = Role.VIEWER) -> NoteSnapshot:
    """Return the published note with this key, its run and project beside it."""
    mine = NoteSnapshot.objects.filter(run__in=Run.objects.of(user(request)))
    found = get_object_or_404(mine.select_related("run__project", "published_by", "withdrawn_by"), key=key)
    enter(request, found.run.project, role)
    return found
