"""Classify a run again, under the project's policy or one from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from triage import classify as verb
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.policy import Policy
from triage.core.summary import RUN_LEVEL_KEYS
from triage.models import Run
from triage.models.closing import closure_checks


class Command(BaseCommand):
    """Measure and classify a run in this process."""

    help = "Classify a run's failing queries; with --policy, adopt that policy for the project first."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, the policy, and how to print."""
        parser.add_argument("run", help="id or exact name of the run")
        parser.add_argument("--project", default="default", help="slug of the project a name is looked up in")
        parser.add_argument("--policy", type=Path, help="JSON file of a policy; fields left out keep their defaults")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Classify and say what came of it. Exit 1 when a closure check fails, 2 for bad input."""
        run = Run.objects.named(options["run"], options["project"]).select_related("project").first()
        if run is None:
            raise CommandError(f"There is no run {options['run']!r} in project {options['project']!r}.", returncode=2)
        if options["policy"]:
            verb.adopt(run.project, _policy(options["policy"]))
        verb.classify(run.pk)
        run.refresh_from_db()
        told = _told(run)
        self.stdout.write(json.dumps(told, allow_nan=False) if options["json"] else _lines(run, told))
        if faults := [check["detail"] for check in told["closure"] if not check["ok"]]:
            raise CommandError("; ".join(faults), returncode=1)


def _policy(path: Path) -> Policy:
    """Read a policy. Raises CommandError that names the field at fault."""
    try:
        return Policy.model_validate_json(path.read_bytes())
    except OSError as fault:
        raise CommandError(f"The policy cannot be read: {fault}", returncode=2) from fault
    except ValidationError as fault:
        faults = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'file'}: {each['msg']}" for each in fault.errors())
        raise CommandError(f"{path} is no policy: {faults}", returncode=2) from fault


def _told(run: Run) -> dict[str, Any]:
    classes = run.summary["classes"]
    return {
        "run": run.key,
        "policy": run.policy_fingerprint,
        "gold_version": run.gold_version,
        **run.summary["outcomes"],
        "classes": {str(label): classes.get(label, 0) for label in (*FOUR_CLASSES, UNSCORED)},
        "metrics": {
            key: {name: run.summary["metrics"][key][name] for name in ("value", "n", "left_out", "low", "high")}
            for key in RUN_LEVEL_KEYS
        },
        "closure": [{"check": check.check, "ok": check.ok, "detail": check.detail} for check in closure_checks(run)],
    }


def _lines(run: Run, told: dict[str, Any]) -> str:
    classes = [f"  {count:>7} {label}" for label, count in told["classes"].items()]
    head = f"{run.name} ({run.key}) under policy {told['policy']}: {told['failing']} failing."
    return "\n".join([head, *classes])
