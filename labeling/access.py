"""The door to a session: through the caller's memberships, like every door of `triage.access`."""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from labeling.models import ReviewSession, SessionItem
from triage.access import enter, role_in, user
from triage.models import Role


def session(request: HttpRequest, key: str, role: Role = Role.REVIEWER) -> ReviewSession:
    """Return the session with this key, its run and project beside it."""
    me = user(request).pk
    named = ReviewSession.reviewers.through.objects.filter(reviewsession=OuterRef("pk"))
    mine = ReviewSession.objects.filter(run__project__members__user=me).annotate(
        for_others=Exists(named) & ~Exists(named.filter(user=me))
    )
    found: Any = get_object_or_404(mine.select_related("run__project"), key=key)
    enter(request, found.run.project, role)
    if found.for_others and role_in(request, found.run.project).rank < Role.LEAD.rank:
        raise PermissionDenied("This session was made for other reviewers.")
    return cast("ReviewSession", found)


def item(request: HttpRequest, key: str, position: int) -> SessionItem:
    """Return the item at this place of the session, its query beside it, for a reviewer."""
    found = session(request, key)
    one = get_object_or_404(found.items.select_related("query"), position=position)
    one.session, one.query.run = found, found.run
    return one
