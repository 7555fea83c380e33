"""Which account a verified identity is. None is made unless an invitation or the operator's setting says so."""

from __future__ import annotations

import re
from itertools import count

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db import transaction

from triage import journal
from triage.core.identity import Identity, Refusal, RefusedError
from triage.invite import accept, join_project, open_invitation
from triage.models import Member, Project, Role
from triage.models.locks import queue_up

USERNAME_MOST_CHARS = 140


@transaction.atomic
def account_for(identity: Identity, invitation: str, admit_to: str) -> User:
    """Return the active account of this identity, linked or made now where that is allowed. Raises RefusedError.

    In this order: the account linked before; the one an invitation in hand makes; the only account with this
    verified address, unless it is linked to somebody else there; a viewer of project `admit_to`, where it is named.
    `invitation` also lets somebody who has an account into one more project.
    """
    queue_up(f"{identity.issuer} {identity.subject}")
    user = _linked(identity)
    if user is not None and invitation:
        join_project(invitation, user)
    user = user or _invited(identity, invitation) or _by_address(identity) or _admitted(identity, admit_to)
    if user is None or not user.is_active:
        raise RefusedError(Refusal.NO_ACCOUNT)
    return user


def _linked(identity: Identity) -> User | None:
    row = SocialAccount.objects.filter(provider=identity.issuer, uid=identity.subject).select_related("user").first()
    return row.user if row else None


def _invited(identity: Identity, invitation: str) -> User | None:
    """Make the account of an invitation. The first lead's has a password: it opens when the provider is down."""
    opened = open_invitation(invitation) if invitation else None
    if opened is None or opened.is_first_lead:
        return None
    user = accept(invitation, _free_name(identity), None)
    if user is not None:
        _link(user, identity, "invitation")
    return user


def _by_address(identity: Identity) -> User | None:
    if not identity.email:
        return None
    found = list(User.objects.filter(email__iexact=identity.email, is_active=True)[:2])
    if len(found) != 1 or SocialAccount.objects.filter(user=found[0], provider=identity.issuer).exists():
        return None
    _link(found[0], identity, "address")
    return found[0]


def _admitted(identity: Identity, admit_to: str) -> User | None:
    project = Project.objects.filter(slug=admit_to).first() if admit_to else None
    if project is None:
        return None
    if not identity.email:
        raise RefusedError(Refusal.UNVERIFIED)
    user = User.objects.create_user(username=_free_name(identity))
    Member.objects.create(project=project, user=user, role=Role.VIEWER)
    journal.note("member.joined", project, user.username, new={"role": Role.VIEWER, "admitted": True}, by=user)
    _link(user, identity, "admitted")
    return user


def _link(user: User, identity: Identity, by: str) -> None:
    """Keep issuer and subject, nothing else of the person."""
    SocialAccount.objects.create(user=user, provider=identity.issuer, uid=identity.subject, extra_data={})
    journal.note("account.linked", None, user.get_username(), new={"by": by}, by=user)


def _free_name(identity: Identity) -> str:
    """Return a name nobody has, after what the provider calls the person."""
    wanted = re.sub(r"[^\w.@+-]", "", identity.name.partition("@")[0])[:USERNAME_MOST_CHARS] or "person"
    names = (wanted if turn == 1 else f"{wanted}-{turn}" for turn in count(1))
    return next(name for name in names if not User.objects.filter(username__iexact=name).exists())
