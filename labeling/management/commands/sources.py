"""Say where a run's answers come from."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from labeling.management.run_command import RunCommand
from labeling.sources import render, sources


class Command(RunCommand):
    """Support from gold beside groundedness, declining by slice, citations by what they name."""

    help = "Say where a run's answers come from: drift, declining by slice, made-up and unverifiable citations."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, the slice key and how to print."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--slices", metavar="KEY", default="", help="slice key to show declining by")
        parser.add_argument("--format", choices=render.formats, default="md", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print where the answers come from."""
        found = sources(self.run_named(options["run"], options), options["slices"])
        self.printed(render(found, "json" if options["json"] else options["format"]))
