"""Compare runs over the same queries."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.compare import compare, render
from labeling.management.run_command import BAD_INPUT, RunCommand


def _figure(text: str) -> tuple[str, float]:
    """Read `metric=value`. Raises ArgumentTypeError for anything else."""
    metric, _, value = text.partition("=")
    try:
        return metric, float(value)
    except ValueError as fault:
        raise ArgumentTypeError(f"expected METRIC=VALUE, such as context_recall=0.94, found {text!r}") from fault


class Command(RunCommand):
    """Paired differences between arms, what was set differently, and what that can be credited to."""

    help = "Compare 2 to 6 runs over the same queries: paired differences with intervals, settings, flips."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the runs in order; the first is the baseline."""
        parser.add_argument("runs", nargs="+", metavar="RUN", help="ids or exact names; the first is the baseline")
        super().add_arguments(parser)
        parser.add_argument("--slices", metavar="KEY", default="", help="slice key to show accuracy by")
        parser.add_argument(
            "--production",
            metavar="METRIC=VALUE",
            action="append",
            default=[],
            type=_figure,
            help="a figure read off production, to pin the first run to; may be repeated",
        )
        parser.add_argument("--format", choices=render.formats, default="text", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the comparison. Exit 2 for an unknown run, too few or too many, or one without classes."""
        runs = [self.run_named(text, options) for text in options["runs"]]
        try:
            arms = compare(runs, options["slices"], dict(options["production"]))
        except ValueError as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        self.printed(render(arms, "json" if options["json"] else options["format"]))
