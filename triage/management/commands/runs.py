"""List, rename and delete the runs of a project."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage import housekeeping
from triage.models import Query, Run

#: How long rows are removed before it says how many are left.
A_WHILE_S = 10.0


class Command(BaseCommand):
    """List the runs of a project, or rename or delete one."""

    help = "List the runs of a project, the newest first; --rename or --delete one."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project, what to do, and how to print."""
        parser.add_argument("--project", default="default", help="slug of the project")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--rename", nargs=2, metavar=("RUN", "NAME"), help="give a run another name")
        what.add_argument("--delete", metavar="RUN", help="delete a run, its verdicts and the chunks no other run uses")
        parser.add_argument("--yes", action="store_true", help="with --delete: do not ask")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what was asked; exit 2 when there is no such run."""
        if options["rename"]:
            told = self._rename(options["rename"][0], options["rename"][1], options["project"])
        elif options["delete"]:
            told = self._delete(options["delete"], options["project"], sure=options["yes"] or options["json"])
        else:
            told = {
                "runs": [_told(run) for run in Run.objects.filter(project__slug=options["project"]).order_by("-pk")]
            }
        self.stdout.write(json.dumps(told, allow_nan=False) if options["json"] else _lines(told))

    def _rename(self, named: str, name: str, project: str) -> dict[str, Any]:
        run = _run(named, project)
        if not name.strip() or len(name) > 300:
            raise CommandError("A run's name has 1 to 300 characters.", returncode=2)
        housekeeping.rename(run, name.strip())
        return {"run": run.key, "name": name.strip()}

    def _delete(self, named: str, project: str, *, sure: bool) -> dict[str, Any]:
        run = _run(named, project)
        if not sure and input(f"Delete {run.name} ({run.key}) and everything people said of it? [y/N] ") != "y":
            raise CommandError("Nothing was deleted.", returncode=1)
        told = {"run": run.key, "name": run.name, "deleted": {"queries": run.queries.count()}}
        housekeeping.delete(run)
        while housekeeping.erase(run.pk, A_WHILE_S):
            self.stderr.write(f"{Query.objects.filter(run=run.pk).count():,} queries are left.")
        return told


def _run(named: str, project: str) -> Run:
    run = Run.objects.named(named, project).first()
    if run is None:
        raise CommandError(f"There is no run {named!r} in project {project!r}.", returncode=2)
    return run


def _told(run: Run) -> dict[str, Any]:
    return {
        "run": run.key,
        "name": run.name,
        "release": run.release,
        "state": run.state,
        "queries": run.counts.get("queries", 0),
        "imported_at": run.created_at.isoformat(),
        **run.summary.get("outcomes", {}),
        "classes": run.summary.get("classes", {}),
    }


def _lines(told: dict[str, Any]) -> str:
    """Return what was done as lines for people."""
    if "runs" not in told:
        gone = told.get("deleted")
        return f"{told['name']} ({told['run']}) " + (
            f"is deleted: {gone['queries']} queries." if gone else "is its name now."
        )
    if not told["runs"]:
        return "No runs yet: ingest a file."
    return "\n".join(_line(run) for run in told["runs"])


def _line(run: dict[str, Any]) -> str:
    counts = f"{run['queries']:>7} queries {run.get('failing', 0):>7} failing"
    return f"{run['run']}  {run['state']:<11} {counts}  {run['name']}"
