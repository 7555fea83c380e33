"""Check a run against the gates of its project."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.gate import EXIT, gate, render
from labeling.management.run_command import BAD_INPUT, RunCommand


class Command(RunCommand):
    """Pass, fail or not decided, for a build to go by."""

    help = "Check a run against its project's gates: exit 0 pass, 1 fail, 3 not decided."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, how strict to be, and how to print."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--strict", action="store_true", help="go by the value alone, so that every gate decides")
        parser.add_argument("--format", choices=["text", "json", "md", "junit"], default="text", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the gates and exit by the result. Exit 2 when there is no such run, or it has no classes yet."""
        try:
            found = gate(self.run_named(options["run"], options), strict=options["strict"])
        except ValueError as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        self.printed(render(found, "json" if options["json"] else options["format"]))
        if code := EXIT[found.result]:
            sys.exit(code)
