"""Check whether a run's recall is to be trusted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from labeling.audit import audit, render
from labeling.management.run_command import RunCommand


class Command(RunCommand):
    """Where gold comes from, how old it is, and whether the judges were checked."""

    help = "Check whether a run's recall is to be trusted: gold, questions, k, unanswerable share, ages."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--format", choices=render.formats, default="text", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the checks."""
        found = audit(self.run_named(options["run"], options), timezone.now())
        self.printed(render(found, "json" if options["json"] else options["format"]))
