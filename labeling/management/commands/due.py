"""List what a project has to do."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from labeling.due import announce, as_json, due
from labeling.management.run_command import BAD_INPUT
from triage.models import Project


class Command(BaseCommand):
    """The quarter's chores, derived from the rows."""

    help = "List what is due in a project: judges to compare, sets to resample, runs to classify, reviews to finish."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project."""
        parser.add_argument("--project", default="default", help="slug of the project")
        parser.add_argument(
            "--announce", action="store_true", help="send what is newly due by mail and webhook, if set"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the list. Exit 2 when there is no such project."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=BAD_INPUT)
        if options["announce"]:
            used = announce(project, timezone.now())
            self.stderr.write(
                f"told by {', '.join(used)}" if used else "nothing was sent: nothing new, told today, or not set up"
            )
        items = due(project, timezone.now())
        if options["json"]:
            self.stdout.write(json.dumps(as_json(project, items), allow_nan=False))
        else:
            lines = [f"{item.what:12}{item.subject} {item.detail}" for item in items]
            self.stdout.write("\n".join(lines) or "Nothing is due.")
