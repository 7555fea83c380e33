"""Projects, who may do what in them, and the policy versions they have adopted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models

from triage.core.policy import DEFAULT_POLICY, Policy


class Role(models.TextChoices):
    """What a member may do; each role includes the ones before it."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    LEAD = "lead"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        """Return the position in the ladder: viewer 0, owner 3."""
        return list(Role).index(self)

    @classmethod
    def at_least(cls, role: Role) -> list[Role]:
        """Return every role that includes `role`."""
        return [other for other in cls if other.rank >= role.rank]


class Projects(models.QuerySet["Project"]):
    """Projects by who sees them."""

    def of(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """Return the projects this user is a member of, by name."""
        return self.filter(members__user=user.pk).order_by("name", "pk")


class Project(models.Model):
    """One system under evaluation: its runs, people, targets and judges."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    #: Judge names in the order they are asked; the first with a word on a claim or an answer counts.
    judge_order = models.JSONField(default=list)
    #: Dashboard targets and CI gates: metric -> at least. Empty = the defaults of the policy module.
    targets = models.JSONField(default=dict)
    gates = models.JSONField(default=dict)
    #: Owner of a class, or of "class/sub_cause". Empty = the defaults of the labels module.
    owners = models.JSONField(default=dict)

    objects = Projects.as_manager()

    def __str__(self) -> str:
        return self.name

    def policy(self) -> Policy:
        """Return the policy adopted last, or the default policy."""
        return policy_from(self.policy_versions.order_by("-pk").values_list("body", flat=True).first())


def policy_from(body: Mapping[str, Any] | None) -> Policy:
    """Return the policy of a version as its row holds it; None = none was adopted, so the default one."""
    return DEFAULT_POLICY if body is None else Policy.model_validate(body)


class Member(models.Model):
    """A person's role in a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_role_per_member"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.project_id}"


class Invitation(models.Model):
    """A single-use link that makes an account or a membership. Only the hash of its token is stored."""

    token_hash = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    #: The link `make run` prints: works on loopback only and only while there is no account.
    is_first_lead = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"invitation {self.pk} as {self.role}"


class PolicyVersion(models.Model):
    """A policy a project adopted. Rows are never changed: old results keep naming the one they were made under."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="policy_versions")
    fingerprint = models.CharField(max_length=8)
    body = models.JSONField()
    adopted_at = models.DateTimeField(auto_now_add=True)
    adopted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    def __str__(self) -> str:
        return self.fingerprint
