"""Compare the people who read a run with each other and with the machine."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from labeling.agree import agree
from labeling.management.run_command import RunCommand


class Command(RunCommand):
    """Compute how far people agree on a run, store it for the agreement page, and print it."""

    help = "Compare the people who read a run with each other and with the machine."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compute and print. Exit 2 when there is no such run."""
        run = self.run_named(options["run"], options)
        figures = agree(run).figures
        if options["json"]:
            self.printed(json.dumps({"run": run.key, **figures}, allow_nan=False))
            return
        for part, words in (("labels", "labels, people"), ("machine", "labels, machine"), ("claims", "claims, people")):
            told = figures[part]
            kappa = told["kappa"]
            value = f"kappa {kappa['value']:.3f}" if kappa["value"] is not None else f"kappa: {kappa['undefined']}"
            self.printed(f"{words}: n {told['n']}, {value}")
