"""Print the releases of an evaluation set over time."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.management.run_command import BAD_INPUT, RunCommand
from labeling.trend import FORMATS, rendered, trend
from triage.models import Project


class Command(RunCommand):
    """Class counts and metrics, release after release."""

    help = "Print class counts and metrics over the releases of an evaluation set; changed definitions are named."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project, the evaluation set and pipeline, and the format."""
        super().add_arguments(parser)
        parser.add_argument("--set", help="evaluation set; without it, that of the newest run")
        parser.add_argument("--pipeline", help="pipeline; without it, that of the newest run")
        parser.add_argument("--format", choices=list(FORMATS), default="md", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the trend. Exit 2 when there is no such project or no classified run."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=BAD_INPUT)
        found = trend(project, options["set"], options["pipeline"])
        if not found.releases:
            raise CommandError("There is no classified run of this evaluation set and pipeline.", returncode=BAD_INPUT)
        self.printed(rendered(found, "json" if options["json"] else options["format"]))
