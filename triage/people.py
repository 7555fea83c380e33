"""Verb: who is in a project, and as what. A project always keeps an owner."""

from __future__ import annotations

from django.db import transaction

from triage import journal
from triage.models import Member, Project, Role


class LastOwnerError(Exception):
    """The project would be left without an owner."""

    def __str__(self) -> str:
        return "A project keeps at least one owner: make somebody else an owner first."


@transaction.atomic
def change_role(member: Member, role: Role) -> None:
    """Give a member another role. Raises `LastOwnerError` when the last owner would lose theirs."""
    if role is not Role.OWNER:
        _keep_an_owner(member)
    Member.objects.filter(pk=member.pk).update(role=role)
    journal.changed("member.role_changed", member.project_id, member.user, {"role": member.role}, {"role": role.value})


@transaction.atomic
def remove(member: Member) -> None:
    """Take a member out of the project; their verdicts stay. Raises `LastOwnerError` for the last owner."""
    _keep_an_owner(member)
    Member.objects.filter(pk=member.pk).delete()
    journal.note("member.removed", member.project_id, member.user, old={"role": member.role})


def _keep_an_owner(member: Member) -> None:
    """Lock the project's owners, so that two requests cannot both take away 'the other' one."""
    owners = Member.objects.select_for_update().filter(project=member.project_id, role=Role.OWNER)
    if [owner.pk for owner in owners] == [member.pk]:
        raise LastOwnerError


@transaction.atomic
def configure(
    project: Project, *, name: str, targets: dict[str, float], gates: dict[str, float], owners: dict[str, str]
) -> None:
    """Give the project its name, dashboard targets, CI gates and the owner of each class."""
    new: dict[str, object] = {"name": name, "targets": targets, "gates": gates, "owners": owners}
    before = Project.objects.select_for_update(no_key=True).values(*new).get(pk=project.pk)
    Project.objects.filter(pk=project.pk).update(**new)
    journal.changed("project.configured", project, project.slug, before, new)
