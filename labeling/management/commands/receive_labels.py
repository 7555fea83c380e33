"""Take in labels of claims that people gave elsewhere."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.management.run_command import BAD_INPUT, RunCommand
from labeling.receive import LabelsReceived, receive_labels
from triage.core.records import visible

SHOWN = 20


class Command(RunCommand):
    """A judge may be calibrated without anybody reviewing here."""

    help = "Take in labels of a run's claims from CSV or JSON Lines: query, claim, label, rater, and chunk if any."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, the file, and whether to keep anything."""
        parser.add_argument("run", help="id or exact name of the run")
        parser.add_argument("file", help="CSV with a line of names, or JSON Lines; - reads standard input")
        super().add_arguments(parser)
        parser.add_argument("--preview", action="store_true", help="say what would be kept, and keep nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what came of it. Exit 2 when there is no such run or file, or no row could be used."""
        run = self.run_named(options["run"], options)
        found = receive_labels(run, _text(options["file"]), store=not options["preview"])
        self.printed(json.dumps(asdict(found)) if options["json"] else _words(found))
        if not found.new + found.known:
            sys.exit(BAD_INPUT)


def _text(name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as fault:
        raise CommandError(f"{name}: {fault.strerror}.", returncode=BAD_INPUT) from fault
    except UnicodeDecodeError as fault:
        words = f"{name}: byte {fault.start} is not UTF-8. Save the file as UTF-8."
        raise CommandError(words, returncode=BAD_INPUT) from fault


def _words(found: LabelsReceived) -> str:
    kept = "kept" if found.stored else "would be kept"
    raters = ", ".join(f"{visible(name)} {count}" for name, count in found.raters.items()) or "nobody"
    lines = [f"{found.new} labels of {found.claims} claims {kept}, by {raters}; {found.known} were here already."]
    lines += [
        visible(f"line {error.line}, {error.field}: found {error.found}, expected {error.expected}. {error.remedy}")
        for error in found.errors[:SHOWN]
    ]
    if len(found.errors) > SHOWN:
        lines.append(f"... and {len(found.errors) - SHOWN} more rows left out.")
    return "\n".join(lines)
