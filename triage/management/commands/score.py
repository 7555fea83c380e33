"""Take a run through scoring and classifying in this process."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.models import Run, Scoring
from triage.tasks import run_to_end, steering


class Command(BaseCommand):
    """Score a run here and now, without Redis or a worker; a finished run is asked for what its judges lack."""

    help = "Score and classify a run in this process; judges read only what they have not read before."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, and how to print."""
        parser.add_argument("run", help="id or exact name of the run")
        parser.add_argument("--project", default="default", help="slug of the project a name is looked up in")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it to its end and say what came of it. Exit 1 when queries were given up or the run failed."""
        named = list(Run.objects.named(options["run"], options["project"])[:2])
        if not named:
            raise CommandError(f"There is no run {options['run']!r} in project {options['project']!r}.", returncode=2)
        if len(named) > 1:
            self.stderr.write(f"Several runs are called {options['run']!r}: this is the newest, {named[0].key}.")
        steering.rescore(named[0])
        run = run_to_end(named[0].pk)
        told = _told(run)
        if options["json"]:
            self.stdout.write(json.dumps(told, allow_nan=False))
        else:
            self.stdout.write(
                f"{run.name} ({run.key}): {told['queries']} queries, {told['set_aside']} given up, {run.state}."
            )
        if run.state != Run.State.DONE or told["set_aside"]:
            raise CommandError(run.state_reason or f"{told['set_aside']} queries were given up.", returncode=1)


def _told(run: Run) -> dict[str, Any]:
    given_up = Scoring.objects.filter(query__run=run, done_at__isnull=True).exclude(quarantined="")
    return {
        "run": run.key,
        "state": run.state,
        "queries": run.queries.count(),
        "set_aside": given_up.count(),
        "classes": run.summary.get("classes", {}),
    }
