"""What commands about a run share: how it is named, and how a fault is told."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.models import Run

BAD_INPUT = 2


class RunCommand(BaseCommand):
    """A command about one run or several, named by id or by exact name within a project."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project that names are looked up in."""
        parser.add_argument("--project", default="default", help="slug of the project a name is looked up in")

    def run_named(self, text: str, options: dict[str, Any]) -> Run:
        """Return the run; several of one name give the newest, with a warning. Exits 2 where there is none."""
        named = list(Run.objects.named(text, options["project"]).select_related("project")[:2])
        if not named:
            raise CommandError(f"There is no run {text!r} in project {options['project']!r}.", returncode=BAD_INPUT)
        if len(named) > 1:
            self.stderr.write(f"Several runs are called {text!r}: this is the newest, {named[0].key}.")
        return named[0]

    def printed(self, text: str) -> None:
        """Print text that ends where it should, once."""
        self.stdout.write(text, ending="" if text.endswith("\n") else "\n")
