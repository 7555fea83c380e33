"""Print the release note of a run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from labeling.management.run_command import BAD_INPUT, RunCommand
from labeling.report import FORMATS, NotClassifiedError, publish, render, report
from triage import journal
from triage.models import Run


class Command(RunCommand):
    """The table for release notes: automatic, reviewed, confirmed and corrected counts of each class."""

    help = "Print the release note of a run: failure classes with corrected counts, changes, closure checks."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, the format, and the run to compare with."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--format", choices=list(FORMATS), default="md", help="how to print it")
        parser.add_argument("--json", action="store_true", help="the same as --format json")
        parser.add_argument("--publish", action="store_true", help="keep the note as it stands under a permanent link")
        parser.add_argument("--against", metavar="RUN", help="compare with this run instead of the release before")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the note. Exit 2 when there is no such run, or it has no classes yet."""
        run = self.run_named(options["run"], options)
        against = self.run_named(options["against"], options) if options["against"] else None
        to = "json" if options["json"] else options["format"]
        try:
            text = self._published(run, against, to) if options["publish"] else render(report(run, against), to).text
        except NotClassifiedError as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        journal.note("report.printed", run.project_id, run.key, new={"format": to})
        self.printed(text)

    def _published(self, run: Run, against: Run | None, to: str) -> str:
        """Publish the note; its address and hash go to the error stream, so that the output stays the file."""
        kept = publish(run, None, against)
        self.stderr.write(f"Published at {reverse('snapshot', args=[kept.key])}, content sha256 {kept.content_hash}.")
        return str(getattr(kept, to))
