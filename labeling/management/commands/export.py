"""Write out what people said of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.core.management.base import CommandError, CommandParser

from labeling.calibrate import items_of, judges_in
from labeling.export import (
    CALIBRATION_FORMATS,
    GOLD_FORMATS,
    RUN_FORMATS,
    VERDICT_FORMATS,
    calibration_file,
    gold_file,
    run_file,
    verdicts_file,
)
from labeling.management.run_command import BAD_INPUT, RunCommand
from labeling.mend import MEND_FORMATS, mend_file
from triage.models import Run


def _calibration(run: Run, to: str, _history: bool) -> list[str]:
    """Compare every judge of the project with the labels of this run."""
    judges = judges_in(run.project)
    compared = [(judge, [item for item in items_of(run.project, judge) if item.run == run.key]) for judge in judges]
    return [calibration_file(run.project, compared, to)]


#: what -> (formats, the first is the default; how its pieces are made, one after the other)
EXPORTS: dict[str, tuple[tuple[str, ...], Callable[[Run, str, bool], Iterable[str]]]] = {
    "calibration": (tuple(CALIBRATION_FORMATS), _calibration),
    "verdicts": (VERDICT_FORMATS, lambda run, to, history: [verdicts_file(run, to, history=history)]),
    "gold-patch": (GOLD_FORMATS, lambda run, to, _history: [gold_file(run, to)]),
    "worklist": (MEND_FORMATS, lambda run, to, _history: [mend_file(run, to)]),
    "run": (RUN_FORMATS, lambda run, to, _history: run_file(run, to)),
}


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
        formats, make = EXPORTS[options["what"]]
        to = options["format"] or formats[0]
        if to not in formats:
            raise CommandError(f"--what {options['what']} comes as {', '.join(formats)}.", returncode=BAD_INPUT)
        try:
            for piece in make(run, to, options["history"]):
                self.stdout.write(piece, ending="")
        except ValueError as error:
            raise CommandError(f"This run cannot be written as {to}: {error}.", returncode=BAD_INPUT) from error
