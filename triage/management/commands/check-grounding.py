"""Check an answer against its passages: from standard input to standard output."""
# ruff: noqa: N999 - a command is named after what people type

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from triage.core.grounding import Checked, Decision, GroundingRequest
from triage.ground import Checker
from triage.models import Project

EXAMPLE = '{"question": "...", "answer": "...", "passages": [{"id": "p1", "text": "..."}]}'


class Command(BaseCommand):
    """Read a JSON object (or one a line, with --batch) and print what the judge says of the answer."""

    help = f"Check an answer against passages. Reads {EXAMPLE} on standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how much to read and how to print it."""
        parser.add_argument("--batch", action="store_true", help="one JSON object a line in, one a line out, in order")
        parser.add_argument("--json", action="store_true", help="print JSON (always, with --batch)")
        parser.add_argument("--project", default="default", help="slug of the project whose judges and policy are used")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check what was read. Exit 1 when the (only) answer is blocked, 2 when something could not be read."""
        slug = options["project"]
        project, _ = Project.objects.get_or_create(slug=slug, defaults={"name": slug})
        checker = Checker(project)
        if options["batch"]:
            self._check_lines(checker)
            return
        checked = checker.check(_read(sys.stdin.buffer.read()))
        self.stdout.write(json.dumps(checked.as_json(), allow_nan=False) if options["json"] else _sentence(checked))
        if checked.decision is Decision.BLOCK:
            raise SystemExit(1)

    def _check_lines(self, checker: Checker) -> None:
        """Print one object a line; a line that cannot be read gets an `error` object in its place."""
        failed = 0
        for number, line in enumerate(sys.stdin.buffer, 1):
            if not line.strip():
                continue
            try:
                told = checker.check(_read(line)).as_json()
            except CommandError as fault:
                failed += 1
                told = {"line": number, "error": str(fault)}
            self.stdout.write(json.dumps(told, allow_nan=False))
            self.stdout.flush()
        if failed:
            raise CommandError(f"{failed} lines could not be read.", returncode=2)


def _read(data: bytes) -> GroundingRequest:
    """Parse one object; what is wrong with it becomes a sentence."""
    try:
        return GroundingRequest.model_validate_json(data)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the input"
        raise CommandError(f"{place}: {first['msg']}. Expected {EXAMPLE}", returncode=2) from fault


def _sentence(checked: Checked) -> str:
    """Return the decision and every claim as lines for people."""
    rate = "nothing to divide" if checked.grounding_rate is None else f"{checked.grounding_rate:.2f}"
    words = {True: "supported", False: "not supported", None: "not judged"}
    lines = [f"{checked.decision}: grounding rate {rate} by {checked.judge} ({checked.calibration})"]
    lines += [
        f"  {words[claim.supported]}: {claim.text}" + (f"  [{claim.chunk}]" if claim.supported else "")
        for claim in checked.claims
    ]
    return "\n".join([*lines, checked.caveat]).rstrip()
