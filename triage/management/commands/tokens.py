"""Make, list and revoke the tokens of a project."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.models import ApiToken, Member, Project, Role, Scope
from triage.tokens import make, revoke


class Command(BaseCommand):
    """List the tokens of a project, make one for a program, or revoke one."""

    help = "List the API tokens of a project; --make one for a program (printed once), or --revoke one."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project, what to do, and for a new token what it may do."""
        parser.add_argument("--project", default="default", help="slug of the project")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--make", metavar="NAME", help="make a token; NAME says what it is for")
        what.add_argument("--revoke", metavar="PREFIX", help="stop the token that starts with this")
        parser.add_argument(
            "--scopes",
            default="import,gate,read",
            help=f"with --make: some of {','.join(Scope.values)} (commas between)",
        )
        parser.add_argument("--days", type=int, default=90, help="with --make: how long it is good")
        parser.add_argument("--as", dest="user", help="with --make: whose role bounds it (else the first owner's)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what was asked; exit 2 when there is no such project, person or token."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        if options["make"]:
            self._make(project, options)
        elif options["revoke"]:
            self._revoke(project, options["revoke"])
        else:
            self._list(project, as_json=options["json"])

    def _make(self, project: Project, options: dict[str, Any]) -> None:
        scopes = [word.strip() for word in options["scopes"].split(",") if word.strip()]
        unknown = sorted(set(scopes) - set(Scope.values))
        if unknown or not scopes:
            raise CommandError(f"Scopes are some of {', '.join(Scope.values)}; not {unknown}.", returncode=2)
        user = _person(project, options["user"])
        try:
            token, secret = make(project, user, options["make"][:100], scopes, options["days"], by_command=True)
        except ValueError as fault:
            raise CommandError(str(fault), returncode=2) from fault
        told = {
            "token": secret,
            "prefix": token.prefix,
            "scopes": token.scopes,
            "expires": token.expires_at.isoformat(),
        }
        self.stdout.write(json.dumps(told) if options["json"] else secret)

    def _revoke(self, project: Project, prefix: str) -> None:
        token = project.api_tokens.filter(prefix=prefix).first()
        if token is None:
            raise CommandError(f"There is no token {prefix!r} in project {project.slug!r}.", returncode=2)
        self.stdout.write("Revoked." if revoke(token) else "It was revoked before.")

    def _list(self, project: Project, *, as_json: bool) -> None:
        told = [_told(token) for token in project.api_tokens.for_tokens_page(project)]
        lines = [f"{row['prefix']}  {row['state']}  {','.join(row['scopes'])}  {row['name']}" for row in told]
        self.stdout.write(json.dumps({"tokens": told}) if as_json else "\n".join(lines) or "There is no token yet.")


def _person(project: Project, username: str | None) -> User:
    """Return the member named, else the project's first owner."""
    members = Member.objects.filter(project=project, user__is_active=True).select_related("user").order_by("pk")
    member = (members.filter(user__username=username) if username else members.filter(role=Role.OWNER)).first()
    if member is None:
        who = f"member {username!r}" if username else "owner"
        raise CommandError(f"There is no {who} in project {project.slug!r}: a token needs somebody.", returncode=2)
    return member.user


def _told(token: ApiToken) -> dict[str, Any]:
    is_good: bool = token.is_good  # type: ignore[attr-defined]  # annotated by the queryset
    return {
        "prefix": token.prefix,
        "name": token.name,
        "scopes": token.scopes,
        "state": "good" if is_good else "revoked" if token.revoked_at else "stopped",
        "made_by": token.made_by.get_username(),
        "expires": token.expires_at.isoformat(),
        "last_used": token.last_used_at.isoformat() if token.last_used_at else None,
    }
