"""Verb: make and use single-use links. Only a hash of the token is kept; the link itself is shown once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from triage import journal
from triage.models import Invitation, Member, Project, Role

DEFAULT_PROJECT = "default"


def default_project() -> Project:
    """Return the project that commands use when none is named, made on demand."""
    return _project(DEFAULT_PROJECT, "My first project")


def project_by_slug(slug: str) -> Project:
    """Return the project with this slug, made on demand: what `--project` of every command means."""
    if slug == DEFAULT_PROJECT:
        return default_project()
    return _project(slug, slug)


@transaction.atomic
def _project(slug: str, name: str) -> Project:
    project, is_new = Project.objects.get_or_create(slug=slug, defaults={"name": name})
    if is_new:
        journal.note("project.made", project, slug, new={"name": name})
    return project


def needs_first_lead() -> bool:
    """Say whether nobody can log in yet."""
    return not User.objects.filter(is_active=True).exists()


@transaction.atomic
def first_lead() -> str:
    """Return the token of a new one-time link that makes the first lead; earlier unused ones stop working."""
    Invitation.objects.filter(is_first_lead=True, used_at=None).delete()
    return invite(default_project(), Role.OWNER, is_first_lead=True)


@transaction.atomic
def invite(project: Project, role: Role, *, by: User | None = None, is_first_lead: bool = False) -> str:
    """Return the token of a new link that makes one membership; it lives seven days and works once."""
    token = secrets.token_urlsafe(32)
    made = Invitation.objects.create(
        token_hash=_hash(token),
        project=project,
        role=role,
        created_by=by,
        expires_at=timezone.now() + timedelta(days=7),
        is_first_lead=is_first_lead,
    )
    new = {"role": role, "expires_at": made.expires_at.isoformat(), "first_lead": is_first_lead}
    journal.note("invitation.made", project, made.pk, new=new, by=by)
    return token


def open_invitation(token: str) -> Invitation | None:
    """Return the unused, unexpired invitation of this token, or None."""
    usable = Invitation.objects.filter(token_hash=_hash(token), used_at=None, expires_at__gt=timezone.now())
    found = usable.select_related("project").first()
    if found and found.is_first_lead and not needs_first_lead():
        return None
    return found


@transaction.atomic
def accept(token: str, username: str, password: str | None) -> User | None:
    """Make the account and membership of an invitation, or return None when the link was used meanwhile.

    Without a password the account opens by the operator's provider alone.
    """
    invitation = _claimed(token)
    if invitation is None:
        return None
    user = User.objects.create_user(username=username, password=password)
    _join(invitation, user)
    return user


@transaction.atomic
def join_project(token: str, user: User) -> None:
    """Let somebody who has an account into the project of an invitation; a member's role and the link stay."""
    invitation = open_invitation(token)
    is_member = invitation and Member.objects.filter(project=invitation.project, user=user).exists()
    if invitation is None or invitation.is_first_lead or is_member:
        return
    claimed = _claimed(token)
    if claimed is not None:
        _join(claimed, user)


def _claimed(token: str) -> Invitation | None:
    """Use an invitation up. The conditional UPDATE decides between two people who click at once: one row changed."""
    invitation = open_invitation(token)
    if invitation is None:
        return None
    changed = Invitation.objects.filter(pk=invitation.pk, used_at=None).update(used_at=timezone.now())
    return invitation if changed == 1 else None


def _join(invitation: Invitation, user: User) -> None:
    Member.objects.create(project=invitation.project, user=user, role=invitation.role)
    new = {"role": invitation.role, "invitation": invitation.pk}
    journal.note("member.joined", invitation.project, user.get_username(), new=new, by=user)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
