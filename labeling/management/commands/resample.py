"""Plan the next evaluation set from recent logs, and write it as a run file."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from labeling.core.resampling import How
from labeling.management.run_command import RunCommand
from labeling.resample import Wanted, as_json, plan_set, set_lines


class Command(RunCommand):
    """A sample of the logs by slice, with the gold that still holds."""

    help = (
        "Write the next evaluation set: questions drawn from recent logs by slice, and old ones whose gold still holds."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the logs, the set to carry from, and how the set should be."""
        parser.add_argument("logs", help="run of recent logs: id or exact name; it needs no labels")
        super().add_arguments(parser)
        parser.add_argument("--last", metavar="RUN", help="run over the last set: its accepted gold is carried over")
        parser.add_argument("--slice", default="", help="slice key to spread the questions by")
        parser.add_argument("--size", type=int, default=200, help="questions in all (default 200)")
        parser.add_argument("--minimum", type=int, default=10, help="at least so many of each slice (default 10)")
        parser.add_argument("--how", choices=[how.value for how in How], default=How.PROPORTIONAL.value)
        parser.add_argument("--carry", type=int, default=50, help="at most so many per cent carried over (default 50)")
        parser.add_argument("--oldest", type=int, help="carry no gold older than so many days")
        parser.add_argument("--seed", default="1", help="the same seed draws the same (default 1)")
        parser.add_argument("--day", type=date.fromisoformat, help="day from which ages count (default today)")
        parser.add_argument("--json", action="store_true", help="print the plan as one JSON object, not the set")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the set. Exit 2 when there is no such run."""
        logs = self.run_named(options["logs"], options)
        last = self.run_named(options["last"], options) if options["last"] else None
        planned = plan_set(logs, last, _wanted(options))
        if options["json"]:
            self.stdout.write(json.dumps(as_json(planned), allow_nan=False))
            return
        for piece in set_lines(planned):
            self.stdout.write(piece, ending="")


def _wanted(options: dict[str, Any]) -> Wanted:
    return Wanted(
        day=options["day"] or timezone.now().date(),
        slice_key=options["slice"],
        size=options["size"],
        minimum=options["minimum"],
        how=How(options["how"]),
        carry_share=options["carry"] / 100,
        oldest_days=options["oldest"],
        seed=options["seed"],
    )
