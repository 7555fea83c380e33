"""Check every promise about the rows."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from labeling.verify import findings
from triage.verify import Finding


class Command(BaseCommand):
    """What `restore` ends with, and what to run when something looks wrong."""

    help = (
        "Check that the rows keep every promise: prints each check with the rows it looked at. Exit 1 if one is broken."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how to print."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the findings and exit by them."""
        found = findings()
        broken = [finding.name for finding in found if not finding.holds]
        told = {"holds": not broken, "broken": broken, "checks": [dataclasses.asdict(finding) for finding in found]}
        self.stdout.write(json.dumps(told) if options["json"] else "\n".join(_line(finding) for finding in found))
        if broken:
            sys.exit(1)


def _line(finding: Finding) -> str:
    word = "ok    " if finding.holds else "BROKEN"
    rest = f": {finding.broken:,} broken, e.g. {', '.join(finding.examples)}" if finding.broken else ""
    return f"{word} {finding.n:>9,}  {finding.promise}{rest}  [{finding.name}]"
