"""What Django announces about accounts, for the journal."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver

from triage import journal


@receiver(user_logged_in)
def logged_in(user: User, **_: object) -> None:
    """Write that somebody logged in."""
    journal.note("account.logged_in", None, user.get_username(), by=user)


@receiver(user_logged_out)
def logged_out(user: User | None, **_: object) -> None:
    """Write that somebody logged out; an expired session has no user any more."""
    if user is not None:
        journal.note("account.logged_out", None, user.get_username(), by=user)
