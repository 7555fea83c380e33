"""Follow a chain of interventions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.ladder import METRICS, climb, render
from labeling.management.run_command import BAD_INPUT, RunCommand


class Command(RunCommand):
    """What each run of a chain moved on one slice, beside what repeats of the same settings differ by."""

    help = "Follow a chain of runs on one slice: each step beside run-to-run noise, with its cost and latency."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the runs in order, their repeats, the metric and the slice."""
        parser.add_argument("runs", nargs="+", metavar="RUN", help="ids or exact names, in order")
        super().add_arguments(parser)
        parser.add_argument("--repeat", metavar="RUN", action="append", default=[], help="a run with the same settings")
        parser.add_argument("--metric", choices=list(METRICS), default="faithfulness", help="what to follow")
        parser.add_argument("--slice", default="failing", help="failing, a class, or key=value, of the first run")
        parser.add_argument("--format", choices=render.formats, default="md", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the ladder. Exit 2 for an unknown run or slice, a repeat of none, or a run without classes."""
        runs, repeats = ([self.run_named(text, options) for text in options[key]] for key in ("runs", "repeat"))
        try:
            found = climb(runs, options["metric"], options["slice"], repeats)
        except ValueError as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        self.printed(render(found, "json" if options["json"] else options["format"]))
