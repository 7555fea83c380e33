"""Ask whether the retriever's scores foretell failure."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from labeling.confidence import confidence, render
from labeling.management.run_command import RunCommand


class Command(RunCommand):
    """AUROC, fifths and a suggested caveat for the best score, its lead, and disagreement with a reranker."""

    help = "Ask whether low or close retrieval scores foretell failure: AUROC, fifths, a suggested caveat."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run and how to print."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--format", choices=render.formats, default="md", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what the scores foretell."""
        found = confidence(self.run_named(options["run"], options))
        self.printed(render(found, "json" if options["json"] else options["format"]))
