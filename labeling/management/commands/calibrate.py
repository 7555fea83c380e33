"""Compare a judge with people."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from labeling.calibrate import calibrate, calibrate_recorded, correctness_judges, judges_in, told, told_ratings
from labeling.management.run_command import BAD_INPUT
from triage.models import Judge, Project


class Command(BaseCommand):
    """Compute a judge's figures against the human labels of a project and store them."""

    help = "Compare a judge with the human labels of a project, and say whether it may be relied on."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the judge and the project."""
        parser.add_argument("judge", help="name or fingerprint of a judge that scored something in the project")
        parser.add_argument("--project", default="default", help="slug of the project")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare and print. Exit 2 when there is no such project or judge."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=BAD_INPUT)
        recorded = calibrate_recorded(project, options["judge"])
        named = self._named(project, options["judge"]) if not recorded else []
        found = [told(judge, calibrate(project, judge), timezone.now()) for judge in named]
        found += [told_ratings(row, timezone.now()) for row in recorded]
        if options["json"]:
            self.stdout.write(json.dumps({**found[0], "also": found[1:]}, allow_nan=False))
        else:
            self.stdout.write("\n".join(_words(each) for each in found))

    def _named(self, project: Project, text: str) -> list[Judge]:
        """Return the newest identity of that name or fingerprint (one per task of the name)."""
        known = list(dict.fromkeys([*judges_in(project), *correctness_judges(project)]))
        named = [judge for judge in known if text in (judge.name, judge.fingerprint)]
        if not named:
            names = ", ".join(sorted({judge.name for judge in known})) or "none yet"
            words = f"No judge {text!r} scored anything in project {project.slug!r}. Judges there: {names}."
            raise CommandError(words, returncode=BAD_INPUT)
        newest = {judge.task: judge for judge in reversed(named)}
        if len(newest) < len(named):
            self.stderr.write(f"Judge {text!r} has {len(named)} identities: the newest of each task is meant.")
        return [newest[task] for task in sorted(newest)]


def _words(found: dict[str, Any]) -> str:
    """Say the comparison in a few lines."""
    lines = [f"{found['judge']['name']} ({found['kind']}): {found['state']}, {found['n']} labels."]
    for metric, row in found.get("metrics", {}).items():
        figure, people = row["spearman"], row["people"]
        shown = figure.get("undefined") or f"{figure['value']:.3f}"
        alpha = people["alpha"].get("undefined") or f"{people['alpha']['value']:.3f}"
        lines.append(f"  {metric}: Spearman {shown}, n {figure['n']}; people's alpha {alpha}, n {people['n']}")
    if "metrics" in found:
        return "\n".join(lines)
    for key in ("tpr", "tnr", "balanced_accuracy", "kappa", "auroc", "brier", "ece"):
        figure = found.get(key)
        if figure and figure["value"] is not None:
            interval = f" ({figure['low']:.3f} to {figure['high']:.3f})" if figure["low"] is not None else ""
            lines.append(f"  {key} {figure['value']:.3f}{interval}, n {figure['n']}")
        elif figure:
            lines.append(f"  {key}: {figure.get('undefined', 'no value')}, n {figure['n']}")
    lines.append(f"  threshold in use {found['threshold']:.3f}")
    if found["suggested_threshold"] is not None:
        lines.append(f"  threshold suggested by the dev split {found['suggested_threshold']:.3f}")
    return "\n".join(lines)
