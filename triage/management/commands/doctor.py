"""Look at everything the product stands on."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from triage import doctor
from triage.core.grounding import GroundingRequest, Passage
from triage.doctor import Finding, State
from triage.ground import Checker
from triage.models import Project

TRIAL = GroundingRequest(
    question="When does the shop open?",
    answer="The shop opens at nine o'clock in the morning.",
    passages=[Passage(id="1", text="The shop opens at nine o'clock in the morning.")],
)
SIGNS = {State.OK: "ok      ", State.WARNING: "warning ", State.PROBLEM: "PROBLEM "}


class Command(BaseCommand):
    """Prints one line a part; exit 1 when there is a problem."""

    help = "Say how services, workers, judges, disk and settings are, and what to do. Exit 1 when there is a problem."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how to print it."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Examine and tell."""
        findings = [*doctor.examine(), _judges()]
        has_problem = any(finding.state is State.PROBLEM for finding in findings)
        if options["json"]:
            self.stdout.write(json.dumps({"ok": not has_problem, "findings": [asdict(found) for found in findings]}))
        else:
            for found in findings:
                self.stdout.write(f"{SIGNS[found.state]}{found.name:<10}{found.detail}")
                if found.remedy:
                    self.stdout.write(f"{'':18}-> {found.remedy}")
        if has_problem:
            raise SystemExit(1)


def _judges() -> Finding:
    """Have the project's judges read one sentence: a model that is missing or cut shows itself only then."""
    try:
        project, _ = Project.objects.get_or_create(slug="default", defaults={"name": "My first project"})
        checker = Checker(project)
        checked = checker.check(TRIAL)
    except DatabaseError:
        return Finding("judges", State.WARNING, "not tried: which ones are asked is in the database")
    except Exception as fault:  # noqa: BLE001 - whatever a judge raises is what is to be told
        return Finding(
            "judges", State.PROBLEM, f"{type(fault).__name__}: {fault}"[:500], "docs/deploy.md, section Judges"
        )
    if not checked.claims or not checked.claims[0].supported:
        return Finding("judges", State.PROBLEM, f"{checker.judge} does not find a sentence in itself", "install anew")
    return Finding("judges", State.OK, f"{checker.judge} reads ({checked.ms:.0f} ms with loading)")
