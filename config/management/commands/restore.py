"""Restore a backup."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup import BackupError, read_manifest, restore


class Command(BaseCommand):
    """A backup put in the place of an empty database, brought up to date and verified."""

    help = "Restore a backup into an empty database, bring it up to date, and check every promise about the rows."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, and whether what is there may go."""
        parser.add_argument("file", type=Path, help="a file that `backup` wrote")
        parser.add_argument("--replace", action="store_true", help="remove what this database holds first; asks")
        parser.add_argument("--yes", action="store_true", help="with --replace: do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore and verify. Exit 2 when it is refused, 1 when a promise is broken afterwards."""
        try:
            manifest = read_manifest(options["file"])
            if options["replace"] and not options["yes"]:
                self._ask(manifest.made_at)
            _, found = restore(options["file"], replace=options["replace"])
        except (BackupError, OSError) as fault:
            raise CommandError(str(fault), returncode=2) from fault
        broken = [finding for finding in found if not finding.holds]
        for finding in broken:
            self.stderr.write(f"BROKEN {finding.name}: {finding.broken:,} of {finding.n:,} ({finding.promise})")
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"Restored {rows:,} rows as of {manifest.made_at}; {len(found)} checks, {len(broken)} broken."
        )
        if broken:
            sys.exit(1)

    def _ask(self, made_at: str) -> None:
        if input(f"Replace everything in this database by the backup of {made_at}? [y/N] ") != "y":
            raise CommandError("Nothing was changed.", returncode=1)
