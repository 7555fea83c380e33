"""Print the journal: who changed what, when, from where."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.models import Change, Project
from triage.pages.changes import FILES


class Command(BaseCommand):
    """The journal of a project, or of the accounts, as JSON lines or CSV."""

    help = "Print what was changed in a project: who, what, old, new, when, from where. Oldest first."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project, a filter, and how to print."""
        parser.add_argument("--project", default="default", help="slug of the project")
        parser.add_argument("--accounts", action="store_true", help="log-ins and passwords instead of a project")
        parser.add_argument("--action", default="", help="only this, e.g. run.deleted, or all of an object: run")
        parser.add_argument("--who", default="", help="only what this person changed")
        parser.add_argument("--since", type=date.fromisoformat, help="from this day on (UTC), YYYY-MM-DD")
        parser.add_argument("--until", type=date.fromisoformat, help="up to and with this day (UTC), YYYY-MM-DD")
        parser.add_argument("--format", choices=sorted(FILES), default="jsonl", help="how to print it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the rows. Exit 2 when there is no such project."""
        rows = Change.objects.of_accounts()
        if not options["accounts"]:
            project = Project.objects.filter(slug=options["project"]).first()
            if project is None:
                raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
            rows = Change.objects.in_project(project)
        wanted = {name: options[name] for name in ("action", "who", "since", "until")}
        for piece in FILES[options["format"]][1](rows.matching(**wanted).streamed()):
            self.stdout.write(piece, ending="")
