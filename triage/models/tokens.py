"""Keys of programs: what each may do, for how long, and whether it is still good. Only hashes of them are stored."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from triage.models.projects import Project


class Scope(models.TextChoices):
    """What a token may do, each apart from the others; the role of its maker bounds it besides."""

    READ = "read", "Read the project: runs, queries, release notes, judges, verdicts"
    IMPORT = "import", "Import files, follow and cancel them and their runs"
    GATE = "gate", "Ask whether a run passes the gates"
    EXPORT = "export", "Export runs, verdicts and calibration data"
    GROUND = "ground", "Check answers against passages"
    DELETE = "delete", "Delete runs"


class ApiTokens(models.QuerySet["ApiToken"]):
    """Tokens by whether they are good."""

    def good(self) -> Self:
        """Return the tokens that open something: not revoked, not expired, their maker active and still a member."""
        return self.filter(
            models.Exists(
                Project.objects.filter(pk=models.OuterRef("project"), members__user=models.OuterRef("made_by"))
            ),
            revoked_at__isnull=True,
            expires_at__gt=Now(),
            made_by__is_active=True,
        )

    def for_tokens_page(self, project: Project) -> Self:
        """Return the project's tokens, the newest first, each with `is_good` and its maker beside it."""
        good = models.Exists(ApiToken.objects.good().filter(pk=models.OuterRef("pk")))
        return self.filter(project=project).select_related("made_by").annotate(is_good=good).order_by("-pk")


class ApiToken(models.Model):
    """One key of one program for one project. The secret itself is shown once and kept nowhere."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_tokens")
    #: Whose role bounds it. It stops with the account and with the membership.
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    #: What it is for, in the words of its maker.
    name = models.CharField(max_length=100)
    #: The start of the secret: enough to recognise it, nothing to open a door with.
    prefix = models.CharField(max_length=20, unique=True)
    #: sha256 of the secret. It needs no salt and no slow hash: the secret is 256 random bits.
    secret_hash = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices))
    #: Made on the server's command line: it outlives a change of its maker's password.
    by_command = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    #: To the minute.
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokens.as_manager()

    def __str__(self) -> str:
        return self.prefix
