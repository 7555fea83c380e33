"""Verb: make, open and revoke the keys of programs. The secret is returned once, by `make`, and never again."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from triage import journal
from triage.models import ApiToken, Project
from triage.models.keys import new_key

#: What every secret starts with, so that scanners of repositories and logs can find one.
MARK = "ragt_"
LONGEST_DAYS = 366
#: `last_used_at` is written at most this often.
USED_EVERY = timedelta(minutes=1)


@transaction.atomic
def make(
    project: Project, user: User, name: str, scopes: Iterable[str], days: int, *, by_command: bool = False
) -> tuple[ApiToken, str]:
    """Return a new token and its secret: 256 random bits behind a prefix. Raises ValueError for a bad life span."""
    if not 1 <= days <= LONGEST_DAYS:
        raise ValueError(f"A token lives 1 to {LONGEST_DAYS} days.")
    prefix = MARK + new_key()
    secret = f"{prefix}_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(
        project=project,
        made_by=user,
        name=name,
        prefix=prefix,
        secret_hash=_hash(secret),
        scopes=sorted(set(scopes)),
        by_command=by_command,
        expires_at=timezone.now() + timedelta(days=days),
    )
    new = {"name": name, "scopes": token.scopes, "days": days, "by_command": by_command}
    journal.note("token.made", project, prefix, new=new, by=user)
    return token, secret


def opened(secret: str) -> ApiToken | None:
    """Return the good token of this secret, its project and maker beside it, or None; note that it was used."""
    found = ApiToken.objects.good().select_related("project", "made_by").filter(secret_hash=_hash(secret)).first()
    if found is not None:
        long_ago = Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - USED_EVERY)
        ApiToken.objects.filter(long_ago, pk=found.pk).update(last_used_at=Now())
    return found


@transaction.atomic
def revoke(token: ApiToken) -> bool:
    """Stop a token for good. False = it was revoked before."""
    if not ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    journal.note("token.revoked", token.project_id, token.prefix, old={"name": token.name})
    return True


@transaction.atomic
def after_new_password(user: User, *, by: User | None = None) -> int:
    """Stop what somebody made in the browser, as their sessions stop; write it down; return how many were stopped.

    Whoever knew the old password may have made a token with it. What the operator made on the server stays.
    """
    theirs = ApiToken.objects.filter(made_by=user, by_command=False, revoked_at__isnull=True)
    stopped = theirs.update(revoked_at=Now())
    journal.note("account.password_changed", None, user.get_username(), new={"tokens_revoked": stopped}, by=by)
    return stopped


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
