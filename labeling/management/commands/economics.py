"""Price a reranker."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.core.economics import read_points
from labeling.economics import Asked, economics, render
from labeling.management.run_command import BAD_INPUT, RunCommand


def _points(text: str) -> tuple[tuple[float, float], ...]:
    try:
        return read_points(text)
    except ValueError as fault:
        raise ArgumentTypeError(str(fault)) from fault


class Command(RunCommand):
    """Latency by candidates, tokens and money saved, break-even rate, and whether fallbacks hide in the arm."""

    help = "Price a reranker: added latency by candidates, tokens and money saved, break-even rate, fallbacks."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the runs, the figures no run file holds, and how to print."""
        parser.add_argument("runs", nargs="+", metavar="RUN", help="the baseline first, the arm to price last")
        super().add_arguments(parser)
        parser.add_argument("--points", type=_points, default=(), help="measured candidates:ms, such as 20:42,50:95")
        parser.add_argument("--own-p95-ms", type=float, help="what the reranker alone adds at p95")
        parser.add_argument("--hosted", type=float, help="price of a hosted reranker per 1,000 queries")
        parser.add_argument("--node", type=float, help="price of a node a month")
        parser.add_argument("--price", type=float, help="input price a million tokens, instead of the run's")
        parser.add_argument("--format", choices=render.formats, default="md", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the economics. Exit 2 for an unknown run, too few or too many, or one without classes."""
        runs = [self.run_named(text, options) for text in options["runs"]]
        figures = (options[key] for key in ("points", "own_p95_ms", "hosted", "node", "price"))
        try:
            found = economics(runs, Asked(*figures))
        except ValueError as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        self.printed(render(found, "json" if options["json"] else options["format"]))
