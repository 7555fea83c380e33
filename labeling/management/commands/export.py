"""Write out what people said of a run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.files import EXPORTS, pieces
from labeling.management.run_command import BAD_INPUT, RunCommand
from triage import journal


class Command(RunCommand):
    """Files for elsewhere: calibration data, verdicts, corrected gold."""

    help = "Write out a run with all people added to it, or what they said: calibration data, verdicts, a gold patch."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the run, what to write, and how."""
        parser.add_argument("run", help="id or exact name of the run")
        super().add_arguments(parser)
        parser.add_argument("--what", choices=list(EXPORTS), required=True, help="what to write out")
        parser.add_argument(
            "--format",
            help="jsonl (default), csv; calibration also judgy, openai; gold-patch trec; worklist json, csv; "
            "run also ragas, label_studio, qrels",
        )
        parser.add_argument("--history", action="store_true", help="verdicts: replaced and withdrawn ones too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file to standard output. Exit 2 when there is no such run or format."""
        run = self.run_named(options["run"], options)
        formats, _ = EXPORTS[options["what"]]
        to = options["format"] or formats[0]
        if to not in formats:
            raise CommandError(f"--what {options['what']} comes as {', '.join(formats)}.", returncode=BAD_INPUT)
        try:
            for piece in pieces(run, options["what"], to, history=options["history"]):
                self.stdout.write(piece, ending="")
        except ValueError as error:
            raise CommandError(f"This run cannot be written as {to}: {error}.", returncode=BAD_INPUT) from error
        journal.note("run.exported", run.project_id, run.key, new={"what": options["what"], "format": to})
