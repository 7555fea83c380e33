"""Comments on an item: who said them, whom they name."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import Comment, SessionItem, Verdict
from labeling.review.decision import InvalidError
from triage.models import Project, Query

_NAME = re.compile(r"@([\w.+-]+)")
COMMENT_LIMIT = 5_000


def may_talk(item: SessionItem, user_id: int) -> bool:
    """Say whether comments are open to this person: never before they have judged a blind item."""
    return not item.blind or Verdict.objects.filter(query=item.query_id, reviewer=user_id).exists()


@transaction.atomic
def comment(query: Query, user: User, text: str) -> Comment:
    """Store a comment; @name names a member of the project. Raises InvalidError."""
    words = text.strip()
    if not words or len(words) > COMMENT_LIMIT:
        raise InvalidError({"text": f"Write something, up to {COMMENT_LIMIT:,} characters."})
    stored = Comment.objects.create(query=query, author=user, text=words)
    named = User.objects.filter(username__in=_NAME.findall(words), memberships__project=query.run.project_id)
    stored.names.set(named)
    return stored


def comments_naming(user: User, project: Project, limit: int = 20) -> list[Comment]:
    """Return the newest comments that name this person, on queries whose verdicts they may see already.

    A comment may say what is wrong: before an own verdict it would end the blindness.
    """
    newest = Comment.objects.naming(user.pk, project)[: 5 * limit]
    return [one for one in newest if Verdict.objects.may_be_seen_by(one.query_id, user.pk)][:limit]
